"""Organizations, projects, permissions and secrets (contract 4.1 and 5.1)."""

from tests.contract.table.kinds import (
    PAGED,
    Documented,
    Fields,
    choice,
    flag,
    moment,
    opt,
    page_of,
    req,
    text,
    whole,
)

RESOURCE_TYPES = (
    "organization",
    "project",
    "artifact",
    "file",
    "data_connection",
    "mcp_server",
    "api_server",
    "model",
)
RELATIONS = ("owner", "admin", "member", "developer", "operator", "viewer", "service_worker")
PERMISSIONS = (
    "can_read",
    "can_write",
    "can_delete",
    "can_execute",
    "can_create_resources",
    "can_share",
    "can_read_secrets",
    "can_manage_secrets",
    "can_read_metadata",
    "can_manage_metadata",
    "can_manage_projects",
    "can_manage_users",
)

ORGANIZATION: Fields = {
    "id": text(),
    "name": text(),
    "description": opt(text()),
    "created_at": moment(),
    "updated_at": moment(),
}
PROJECT: Fields = {
    "id": text(),
    "organization_id": text(),
    "name": text(),
    "description": opt(text()),
    "created_at": moment(),
    "updated_at": moment(),
    "created_by": text(),
}
SECRET: Fields = {"name": text(), "created_at": moment()}
SECRET_VALUE: Fields = SECRET | {"value": text()}
MESSAGE: Fields = {"message": text()}

RELATION: Fields = {
    "user_or_group": req(text()),
    "relation": req(choice(*RELATIONS)),
    "resource_type": req(choice(*RESOURCE_TYPES)),
    "resource_id": req(text()),
    "is_group": flag(default=False),
}
NEW_SECRET: Fields = {"name": req(text()), "value": req(text()), "description": opt(text())}
CHANGED_SECRET: Fields = {"value": text(), "description": opt(text())}

OF_PROJECT, OF_RESOURCE = (
    "/governance/resources/projects/secrets",
    "/governance/resources/{resource_type}/{resource_id}/secrets",
)
RESOURCE: Fields = {"resource_type": req(choice(*RESOURCE_TYPES)), "resource_id": req(text())}
SECRETS_OF: Fields = {"resource_type": req(text()), "resource_id": req(text())}
NAME: Fields = {"name": req(text())}

ROWS = [
    Documented("GET", "/governance/organizations", "list_organizations", params=PAGED, answer=page_of(ORGANIZATION)),
    Documented(
        "GET",
        "/governance/organizations/{org_id}",
        "get_organization",
        params={"org_id": req(text())},
        answer=ORGANIZATION,
    ),
    Documented(
        "POST",
        "/governance/projects",
        "create_project",
        201,
        body={"name": req(text(1, 255)), "description": opt(text(longest=1000))},
        answer=PROJECT,
    ),
    Documented("GET", "/governance/projects", "list_projects", params=PAGED, answer=page_of(PROJECT)),
    Documented(
        "GET",
        "/governance/projects/{project_id}",
        "get_project",
        params={"project_id": req(text())},
        answer=PROJECT,
    ),
    Documented(
        "GET",
        "/governance/permissions/check",
        "check_permission",
        params={"user": opt(text()), "permission": req(choice(*PERMISSIONS)), **RESOURCE},
        answer={"allowed": flag()},
    ),
    Documented("POST", "/governance/permissions/grant", "grant_permission", body=RELATION, answer=MESSAGE),
    Documented("POST", "/governance/permissions/revoke", "revoke_permission", body=RELATION, answer=MESSAGE),
    Documented(
        "POST",
        "/governance/permissions/set-parent",
        "set_parent",
        body={**RESOURCE, "parent_type": req(choice(*RESOURCE_TYPES)), "parent_id": req(text())},
        answer=MESSAGE,
    ),
    Documented(
        "POST",
        "/governance/permissions/delete-all",
        "delete_all_permissions",
        body=RESOURCE,
        answer=MESSAGE | {"deleted": whole()},
    ),
    *(
        row
        for base, noun, named, project in (
            (OF_PROJECT, "project_secret", {}, "required"),
            (OF_RESOURCE, "resource_secret", SECRETS_OF, "optional"),
        )
        for row in (
            Documented(
                "POST", base, f"create_{noun}", 201, params=named, body=NEW_SECRET, answer=SECRET, project=project
            ),
            Documented("GET", base, f"list_{noun}s", params=named | PAGED, answer=page_of(SECRET), project=project),
            Documented(
                "GET", base + "/{name}", f"get_{noun}", params=named | NAME, answer=SECRET_VALUE, project=project
            ),
            Documented(
                "PUT",
                base + "/{name}",
                f"update_{noun}",
                params=named | NAME,
                body=CHANGED_SECRET,
                answer=SECRET,
                project=project,
            ),
            Documented("DELETE", base + "/{name}", f"delete_{noun}", params=named | NAME, project=project),
        )
    ),
]
