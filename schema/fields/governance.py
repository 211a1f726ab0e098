"""Defines what the graph offers of Governance: one line per field."""

import strawberry

from resolvers.governance.access import repair_access
from resolvers.governance.audit import list_audit_entries
from resolvers.governance.organizations import get_organization, get_rate_limits, list_organizations, set_rate_limits
from resolvers.governance.permissions import (
    check_permission,
    delete_all_permissions,
    explain_permission,
    grant_permission,
    revoke_permission,
    set_parent,
)
from resolvers.governance.projects import create_project, get_project, list_projects
from resolvers.governance.roles import list_role_holders
from resolvers.governance.secrets import (
    create_project_secret,
    create_resource_secret,
    delete_project_secret,
    delete_resource_secret,
    get_project_secret,
    get_resource_secret,
    list_project_secrets,
    list_resource_secrets,
    update_project_secret,
    update_resource_secret,
)
from schema.door import connects, opens
from schema.governance.audit import AuditEntry
from schema.governance.organization import Organization, RateLimits
from schema.governance.permission import (
    AccessRepair,
    DeletedRelations,
    Done,
    PermissionAnswer,
    PermissionExplanation,
    RoleHolder,
)
from schema.governance.project import Project
from schema.governance.secret import Secret, SecretValue
from schema.pagination import Connection, Page


@strawberry.type(name="Query")
class GovernanceQuery:
    """What can be read of Governance."""

    organizations: Page[Organization] = opens(list_organizations)
    organizations_connection: Connection[Organization] = connects(list_organizations)
    organization: Organization = opens(get_organization)
    rate_limits: RateLimits = opens(get_rate_limits)
    projects: Page[Project] = opens(list_projects)
    projects_connection: Connection[Project] = connects(list_projects)
    project: Project = opens(get_project)
    check_permission: PermissionAnswer = opens(check_permission)
    explain_permission: PermissionExplanation = opens(explain_permission)
    role_holders: Page[RoleHolder] = opens(list_role_holders)
    role_holders_connection: Connection[RoleHolder] = connects(list_role_holders)
    audit_entries: Page[AuditEntry] = opens(list_audit_entries)
    audit_entries_connection: Connection[AuditEntry] = connects(list_audit_entries)
    project_secrets: Page[Secret] = opens(list_project_secrets)
    project_secrets_connection: Connection[Secret] = connects(list_project_secrets)
    project_secret: SecretValue = opens(get_project_secret)
    resource_secrets: Page[Secret] = opens(list_resource_secrets)
    resource_secrets_connection: Connection[Secret] = connects(list_resource_secrets)
    resource_secret: SecretValue = opens(get_resource_secret)


@strawberry.type(name="Mutation")
class GovernanceMutation:
    """What can be changed of Governance."""

    set_rate_limits: RateLimits = opens(set_rate_limits)
    create_project: Project = opens(create_project)
    grant_permission: Done = opens(grant_permission)
    revoke_permission: Done = opens(revoke_permission)
    set_parent: Done = opens(set_parent)
    delete_all_permissions: DeletedRelations = opens(delete_all_permissions)
    repair_access: AccessRepair = opens(repair_access)
    create_project_secret: Secret = opens(create_project_secret)
    update_project_secret: Secret = opens(update_project_secret)
    delete_project_secret: Done = opens(delete_project_secret)
    create_resource_secret: Secret = opens(create_resource_secret)
    update_resource_secret: Secret = opens(update_resource_secret)
    delete_resource_secret: Done = opens(delete_resource_secret)
