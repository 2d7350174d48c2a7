# The page of `cubesolve serve`, at http://localhost:8000/ after
#     docker build --tag cubesolve . && docker run --rm --publish 127.0.0.1:8000:8000 cubesolve
FROM python:3.13-slim
COPY pyproject.toml README.md LICENSE /source/
COPY cubesolve /source/cubesolve
RUN pip install --no-cache-dir '/source[web]' && rm -r /source && useradd --create-home cubesolve
USER cubesolve
RUN cubesolve tables build && cubesolve warm
EXPOSE 8000
CMD ["cubesolve", "serve", "--host", "0.0.0.0"]
