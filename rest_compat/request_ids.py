"""The id of a request in the answers of the graph, for clients that do not see headers."""

import orjson
from starlette.requests import HTTPConnection
from starlette.responses import Response, StreamingResponse

from rest_compat.request import state_of

_END = b"}}"


def say_which_request(request: HTTPConnection, response: Response) -> None:
    """Put the id of the request into the `extensions` of an answer that ends with them.

    It is written into the finished bytes, since an answer that is given again is the same but for this. What was asked
    by GET stays as it is: caches compare it by its `ETag`, and have the id in the header `X-Request-ID`.
    """
    if isinstance(response, StreamingResponse) or request.scope["method"] != "POST":
        return
    body = bytes(response.body)
    if response.status_code != 200 or not body.endswith(_END) or b',"extensions":{' not in body:
        return
    told = b',"requestId":' + orjson.dumps(state_of(request).request_id)
    response.body = body[: -len(_END)] + told + _END
    response.headers["content-length"] = str(len(response.body))
