// The GraphQL documents of what stands around the catalog: the front page, the tree, versions, lineage, sources, schedules,
// terms, projects, secrets and limits.

export const CHILDREN = `
  query ConsoleChildren($fqn: String!) {
    searchMetadata: searchMetadataConnection(fqnPrefix: $fqn, first: 100) {
      totalCount
      nodes {
        name
        type
        fullyQualifiedName
        resourceUri
      }
    }
  }
`;

export const SUGGESTED = `
  query ConsoleSuggested {
    searchMetadata: searchMetadataConnection(assetType: TABLE, first: 3) {
      nodes {
        name
      }
    }
  }
`;

export const VERSION = `
  query ConsoleVersion($resourceUri: String!, $fqn: String!, $version: String) {
    metadata(
      ofType: DATA_CONNECTION
      resourceUri: $resourceUri
      fqn: $fqn
      assetType: TABLE
      version: $version
    ) {
      version
      versionChangeReason
      updatedAt
      updatedBy
      displayName
      description
      businessDefinition
      owners {
        name
      }
      tags {
        tagFqn
      }
      changeDescription {
        previousVersion
        fieldsAdded {
          fieldName
        }
        fieldsUpdated {
          fieldName
        }
        fieldsDeleted {
          fieldName
        }
      }
    }
  }
`;

export const LINEAGE = `
  query ConsoleLineage($resourceUri: String!, $fqn: String!) {
    upstream: lineage(
      ofType: DATA_CONNECTION
      resourceUri: $resourceUri
      fqn: $fqn
      direction: UPSTREAM
      limit: 100
    ) {
      total
      hidden
      complete
      items {
        tableFqn
        resourceUri
      }
    }
    downstream: lineage(
      ofType: DATA_CONNECTION
      resourceUri: $resourceUri
      fqn: $fqn
      direction: DOWNSTREAM
      limit: 100
    ) {
      total
      hidden
      complete
      items {
        tableFqn
        resourceUri
      }
    }
  }
`;

export const LINEAGE_EDGES = `
  query ConsoleLineageEdges(
    $resourceUri: String!
    $fqn: String!
    $direction: LineageDirection!
    $after: String
  ) {
    lineageEdges: lineageEdgesConnection(
      ofType: DATA_CONNECTION
      resourceUri: $resourceUri
      fqn: $fqn
      direction: $direction
      after: $after
      first: 100
    ) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        fromFqn
        toFqn
        type
        subtype
        source
        statementId
      }
    }
  }
`;

export const SOURCES = `
  query ConsoleSources {
    dataConnections: dataConnectionsConnection(first: 100) {
      totalCount
      nodes {
        name
        resourceUri
        connectionType
        status
        statusMessage
        description
        secretNames
        databaseConfig
        storageConfig
        filesystemConfig
        updatedAt
        permissions
        catalog {
          total
        }
      }
    }
  }
`;

export const DISCONNECT = `
  mutation ConsoleDisconnect($resourceUri: String!) {
    deleteDataConnection(resourceUri: $resourceUri) {
      message
    }
  }
`;

export const CONNECT = `
  mutation ConsoleConnect($connection: DataConnectionCreate!) {
    createDataConnection(connection: $connection) {
      name
      resourceUri
    }
  }
`;

export const VERIFY = `
  mutation ConsoleVerify($resourceUri: String!) {
    verifyDataConnection(resourceUri: $resourceUri) {
      success
      message
      latencyMs
    }
  }
`;

export const INGESTIONS = `
  query ConsoleIngestions {
    workflowConfigurations: workflowConfigurationsConnection(workflowType: SERVICE_INGESTION, status: ACTIVE, first: 100) {
      nodes {
        id
        config
      }
    }
  }
`;

export const CONFIGURE_INGESTION = `
  mutation ConsoleConfigureIngestion($name: String!, $config: JSON!) {
    createWorkflowConfiguration(
      configuration: { name: $name, workflowType: SERVICE_INGESTION, config: $config }
    ) {
      id
    }
  }
`;

export const INGEST = `
  mutation ConsoleIngest($configurationId: UUID!) {
    triggerRun(configurationId: $configurationId) {
      id
      configurationId
    }
  }
`;

export const SCHEDULES = `
  query ConsoleSchedules {
    schedules: schedulesConnection(first: 100) {
      totalCount
      nodes {
        scheduleId
        scheduleName
        referenceId
        enabled
        nextRunAt
        lastRunAt
        schedule {
          cron
          timezone
          runAt
        }
      }
    }
    workflowConfigurations: workflowConfigurationsConnection(status: ACTIVE, first: 100) {
      nodes {
        id
        name
        workflowType
      }
    }
  }
`;

export const ADD_SCHEDULE = `
  mutation ConsoleAddSchedule($name: String!, $cron: String!, $timezone: String!, $configurationId: String!) {
    createSchedule(
      schedule: {
        scheduleName: $name
        schedule: { type: CRON, cron: $cron, timezone: $timezone }
        referenceId: $configurationId
      }
    ) {
      scheduleId
    }
  }
`;

export const SWITCH_SCHEDULE = `
  mutation ConsoleSwitchSchedule($scheduleId: UUID!, $enabled: Boolean!) {
    updateSchedule(scheduleId: $scheduleId, changes: { enabled: $enabled }) {
      scheduleId
      enabled
    }
  }
`;

export const DELETE_SCHEDULE = `
  mutation ConsoleDeleteSchedule($scheduleId: UUID!) {
    deleteSchedule(scheduleId: $scheduleId) {
      message
    }
  }
`;

export const TERMS = `
  query ConsoleTerms($status: TermStatus!, $after: String) {
    glossaryTerms: glossaryTermsConnection(status: $status, first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        displayName
        definition
        synonyms
        status
        assetCount
        updatedAt
        updatedBy
      }
    }
  }
`;

export const SUBMIT_TERM = `
  mutation ConsoleSubmitTerm($termId: String!) {
    updateGlossaryTerm(termId: $termId, changes: { status: IN_REVIEW }) {
      id
    }
  }
`;

export const REVIEW_TERM = `
  mutation ConsoleReviewTerm($termId: String!, $decision: TermDecision!, $notes: String) {
    reviewGlossaryTerm(termId: $termId, review: { decision: $decision, notes: $notes }) {
      id
      status
    }
  }
`;

export const ASSIGN_VIOLATION = `
  mutation ConsoleAssignViolation($violationId: UUID!, $assignedTo: String) {
    updateViolation(violationId: $violationId, changes: { assignedTo: $assignedTo }) {
      id
      assignedTo
    }
  }
`;

export const MY_PROJECTS = `
  query ConsoleMyProjects {
    projects: projectsConnection(first: 100) {
      totalCount
      nodes {
        id
        organizationId
        name
        description
        createdAt
        createdBy
      }
    }
  }
`;

export const ADD_PROJECT = `
  mutation ConsoleAddProject($name: String!, $description: String) {
    createProject(project: { name: $name, description: $description }) {
      id
    }
  }
`;

export const SECRETS = `
  query ConsoleSecrets {
    projectSecrets: projectSecretsConnection(first: 100) {
      totalCount
      nodes {
        name
        description
        updatedAt
        updatedBy
      }
    }
  }
`;

export const KEEP_SECRET = `
  mutation ConsoleKeepSecret($secret: SecretCreate!) {
    createProjectSecret(secret: $secret) {
      name
    }
  }
`;

export const DELETE_SECRET = `
  mutation ConsoleDeleteSecret($name: String!) {
    deleteProjectSecret(name: $name) {
      message
    }
  }
`;

export const LIMITS = `
  query ConsoleLimits($orgId: String!) {
    rateLimits(orgId: $orgId) {
      reads
      writes
      bulk
      anonymous
    }
  }
`;

export const AUDIT = `
  query ConsoleAudit($userId: String, $outcome: AuditOutcome, $after: String) {
    auditEntries: auditEntriesConnection(userId: $userId, outcome: $outcome, after: $after, first: 50) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        occurredAt
        userId
        door
        operation
        outcome
        errorCode
        objectType
        objectId
        resultId
        arguments
        changedFields
      }
    }
  }
`;

export const NEIGHBORS = `
  query ConsoleNeighbors($fqn: String!) {
    dataAssets: dataAssetsConnection(fqnPrefix: $fqn, assetType: TABLE, first: 100) {
      totalCount
      nodes {
        fqn
      }
    }
  }
`;

export const ADD_REFERENCE = `
  mutation ConsoleAddReference($resourceUri: String!, $fqn: String!, $targetFqn: String!) {
    addRelationship(
      ofType: DATA_CONNECTION
      resourceUri: $resourceUri
      fqn: $fqn
      relationship: { targetFqn: $targetFqn }
    ) {
      version
    }
  }
`;

export const REMOVE_REFERENCE = `
  mutation ConsoleRemoveReference($resourceUri: String!, $fqn: String!, $targetFqn: String!) {
    removeRelationship(ofType: DATA_CONNECTION, resourceUri: $resourceUri, fqn: $fqn, targetFqn: $targetFqn) {
      version
    }
  }
`;

export const CHANGE_SOURCE = `
  mutation ConsoleChangeSource($resourceUri: String!, $changes: DataConnectionChange!) {
    updateDataConnection(resourceUri: $resourceUri, changes: $changes) {
      name
      status
    }
  }
`;

export const ADD_TERM = `
  mutation ConsoleAddTerm($name: String!, $definition: String, $synonyms: [String!]) {
    createGlossaryTerm(term: { name: $name, definition: $definition, synonyms: $synonyms }) {
      id
      name
    }
  }
`;

export const DELETE_TERM = `
  mutation ConsoleDeleteTerm($termId: String!) {
    deleteGlossaryTerm(termId: $termId) {
      deleted
    }
  }
`;

export const MEMORIES = `
  query ConsoleMemories($validationStatus: ValidationStatus, $after: String) {
    memories: memoriesConnection(validationStatus: $validationStatus, first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        memoryType
        content
        assetFqn
        updatedAt
        quality {
          validationStatus
        }
      }
    }
  }
`;

export const PACKS = `
  query ConsolePacks {
    contextPacks: contextPacksConnection(status: ACTIVE, first: 1) {
      nodes {
        id
        name
      }
    }
  }
`;

export const ADD_PACK = `
  mutation ConsoleAddPack($name: String!) {
    createContextPack(pack: { name: $name, packType: PROJECT }) {
      id
    }
  }
`;

export const ADD_MEMORY = `
  mutation ConsoleAddMemory($name: String!, $content: JSON!, $memoryType: MemoryType!, $contextPackId: UUID!) {
    createMemory(
      memory: { name: $name, content: $content, memoryType: $memoryType, contextPackId: $contextPackId }
    ) {
      id
      name
    }
  }
`;

export const VALIDATE_MEMORY = `
  mutation ConsoleValidateMemory($memoryId: UUID!, $validationStatus: ValidationStatus!) {
    validateMemory(memoryId: $memoryId, validation: { validationStatus: $validationStatus }) {
      id
    }
  }
`;

export const DELETE_MEMORY = `
  mutation ConsoleDeleteMemory($memoryId: UUID!) {
    deleteMemory(memoryId: $memoryId) {
      message
    }
  }
`;
