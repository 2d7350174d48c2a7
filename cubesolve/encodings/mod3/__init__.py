"""The mod-3 encoding: depths modulo 3 in two bits per entry."""
