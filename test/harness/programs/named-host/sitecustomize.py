"""The same for Python, which imports this file at its start."""

import socket

_getaddrinfo = socket.getaddrinfo


def _resolve(host, *args, **kwargs):
    name = host.decode() if isinstance(host, bytes) else host
    return _getaddrinfo("127.0.0.1" if str(name).endswith(".test") else host, *args, **kwargs)


socket.getaddrinfo = _resolve
