"""Every path under /governance. Additions to the contract are marked."""

from resolvers.governance import access, audit, organizations, permissions, projects, roles, secrets
from rest_compat.door import Door
from rest_compat.envelopes import PageLimitList

governance = Door("/governance", tag="Governance")

governance.get("/organizations", organizations.list_organizations, envelope=PageLimitList)
governance.get("/organizations/{org_id}", organizations.get_organization)
governance.get("/organizations/{org_id}/rate-limits", organizations.get_rate_limits)  # addition
governance.put("/organizations/{org_id}/rate-limits", organizations.set_rate_limits)  # addition
governance.post("/projects", projects.create_project)
governance.get("/projects", projects.list_projects, envelope=PageLimitList)
governance.get("/projects/{project_id}", projects.get_project)
governance.get("/permissions/check", permissions.check_permission)
governance.get("/permissions/explain", permissions.explain_permission)  # addition
governance.post("/permissions/grant", permissions.grant_permission, status=200)
governance.post("/permissions/revoke", permissions.revoke_permission, status=200)
governance.post("/permissions/set-parent", permissions.set_parent, status=200)
governance.post("/permissions/delete-all", permissions.delete_all_permissions, status=200)
governance.post("/permissions/repair", access.repair_access, status=200)  # addition

governance.get(  # addition
    "/resources/{resource_type}/{resource_id}/roles", roles.list_role_holders, envelope=PageLimitList
)
governance.get("/audit", audit.list_audit_entries, envelope=PageLimitList)  # addition

# The project's own secrets stand first, so that "projects" is never taken for a resource type.
_own, _of_resource = "/resources/projects/secrets", "/resources/{resource_type}/{resource_id}/secrets"
governance.post(_own, secrets.create_project_secret, project="required")
governance.get(_own, secrets.list_project_secrets, envelope=PageLimitList, project="required")
governance.get(f"{_own}/{{name}}", secrets.get_project_secret, project="required")
governance.put(f"{_own}/{{name}}", secrets.update_project_secret, project="required")
governance.delete(f"{_own}/{{name}}", secrets.delete_project_secret, project="required")
governance.post(_of_resource, secrets.create_resource_secret)
governance.get(_of_resource, secrets.list_resource_secrets, envelope=PageLimitList)
governance.get(f"{_of_resource}/{{name}}", secrets.get_resource_secret)
governance.put(f"{_of_resource}/{{name}}", secrets.update_resource_secret)
governance.delete(f"{_of_resource}/{{name}}", secrets.delete_resource_secret)
