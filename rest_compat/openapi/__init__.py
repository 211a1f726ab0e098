"""One OpenAPI 3.0 document per service: how it is made, and beside it the documents as published."""
