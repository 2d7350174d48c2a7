"""What several modules of tests share: one browser, that of `tests.browser`."""

from tests.browser import browser

__all__ = ["browser"]
