"""A web server for one person on this machine, made of starlette, uvicorn and watchfiles."""
