// The GraphQL documents that the console sends; those of the inbox stand in inbox-documents.js. A test checks each
// against the published schema, so all of them stand in these files, whole, as text that nothing is put into.

export const PROJECTS = `
  query ConsoleProjects {
    projects: projectsConnection(first: 100) {
      totalCount
      nodes {
        id
        name
        description
      }
    }
  }
`;

export const FIND = `
  query ConsoleFind($q: String, $assetType: AssetType, $after: String) {
    searchMetadata: searchMetadataConnection(q: $q, assetType: $assetType, sortBy: RELEVANCE, first: 30, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        type
        fullyQualifiedName
        resourceUri
        description
        rowCount
        columnCount
        tableCount
        dataType
        tags {
          tagFqn
        }
        scorecard {
          overallScore
        }
        suspectCells(first: 1, verdict: [UNDECIDED, WRONG]) {
          totalCount
          nodes {
            suspectsInTable
          }
        }
      }
    }
  }
`;

export const MAY = `
  query ConsoleMay($resourceType: ResourceType, $resourceId: String) {
    viewer {
      permissions(resourceType: $resourceType, resourceId: $resourceId)
    }
  }
`;

export const ASSET = `
  query ConsoleAsset($resourceUri: String!, $fqn: String!) {
    metadata(
      ofType: DATA_CONNECTION
      resourceUri: $resourceUri
      fqn: $fqn
      assetType: TABLE
      includeChildren: true
    ) {
      id
      name
      fullyQualifiedName
      description
      summaryText
      version
      updatedAt
      tableType
      rowCount
      columnCount
      childrenTotal
      owners {
        name
      }
      tags {
        tagFqn
        tagDescription
      }
      children {
        id
        name
        fullyQualifiedName
        dataType
        dataTypeDisplay
        nullable
        ordinalPosition
        description
        columnRelationships
        tags {
          tagFqn
          tagDescription
        }
        suspectCells(first: 1, verdict: UNDECIDED) {
          totalCount
        }
      }
    }
  }
`;

export const PROFILE = `
  query ConsoleProfile($resourceUri: String!, $fqn: String!) {
    metadata(ofType: DATA_CONNECTION, resourceUri: $resourceUri, fqn: $fqn, assetType: TABLE) {
      profile {
        id
        tier
        measuredAt
        rowCount
        sampleSize
        newest
        freshnessColumn
        candidateKeys {
          columns
          uniqueness
          isDeclared
          isExact
        }
        foreignKeys {
          columns
          targetFqn
          targetColumns
          matchRate
          isDeclared
        }
        columns {
          name
          kind
          rowCount
          nullCount
          distinctCount
          minimum
          maximum
          mean
          masked
          histogram {
            lower
            upper
            count
          }
          topValues {
            value
            count
          }
        }
      }
    }
  }
`;

export const SCORE = `
  query ConsoleScore($fqn: String!) {
    scorecard(request: { assetFqn: $fqn }) {
      overallScore
      asOf
      change {
        difference
      }
      dimensions {
        dimensionId
        name
        displayName
        assessmentType
        weight
        score
        numerator
        denominator
        metrics {
          metricDefinitionId
          name
          numerator
          denominator
          score
        }
      }
    }
    proposed: qualityRulesConnection(assetFqn: $fqn, state: PROPOSED, first: 1) {
      totalCount
    }
    undecided: suspectCellsConnection(assetFqn: $fqn, verdict: UNDECIDED, first: 1) {
      totalCount
    }
  }
`;

export const RULES = `
  query ConsoleRules($fqn: String!, $after: String) {
    qualityRules: qualityRulesConnection(assetFqn: $fqn, first: 100, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        name
        inWords
        description
        assetFqn
        metric
        arguments
        operator
        threshold
        unit
        severity
        state
        origin
      }
    }
  }
`;

export const SESSIONS = `
  query ConsoleSessions {
    chatSessions: chatSessionsConnection(first: 8) {
      totalCount
      nodes {
        sessionId
        title
        turnCount
        updatedAt
      }
    }
  }
`;

export const SESSION_TURNS = `
  query ConsoleSessionTurns($sessionId: UUID!) {
    turns: turnsConnection(sessionId: $sessionId, first: 20, order: DESC) {
      totalCount
      nodes {
        turnId
        state
        messages {
          role
          content
        }
      }
    }
  }
`;

export const BEGIN_SESSION = `
  mutation ConsoleBeginSession($title: String) {
    createChatSession(session: { title: $title }) {
      sessionId
    }
  }
`;

export const ASK = `
  mutation ConsoleAsk($sessionId: UUID!, $message: String!, $readingId: String) {
    createTurn(sessionId: $sessionId, turn: { message: $message, readingId: $readingId }) {
      turnId
      taskId
    }
  }
`;

export const FOLLOW = `
  subscription ConsoleFollow($sessionId: UUID!, $turnId: UUID!, $lastEventId: Int!) {
    turnEvents(sessionId: $sessionId, turnId: $turnId, lastEventId: $lastEventId) {
      sequence
      event
      data
      final
    }
  }
`;

export const CHART = `
  query ConsoleChart($resourceUri: String!) {
    artifactPreview(resourceUri: $resourceUri) {
      previewType
      truncated
      value
    }
  }
`;

export const CSV = `
  query ConsoleCsv($resourceUri: String!) {
    artifactDownload(resourceUri: $resourceUri, format: CSV) {
      name
      url
    }
  }
`;

export const LOCATE = `
  query ConsoleLocate($fqn: String!) {
    dataAssets: dataAssetsConnection(fqnPrefix: $fqn, assetType: TABLE, first: 1) {
      nodes {
        fqn
        resourceUri
      }
    }
  }
`;

export const RUNS = `
  query ConsoleRuns($status: RunStatus, $after: String) {
    projectRuns: projectRunsConnection(status: $status, first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        configurationId
        status
        workflowType
        workflowName
        assetFqn
        startedAt
        completedAt
        errorMessage
        output
        progress {
          tasks
          completed
          failed
          skipped
        }
      }
    }
  }
`;

export const RUN = `
  subscription ConsoleRun($configurationId: UUID!, $runId: UUID!) {
    runProgress(configurationId: $configurationId, runId: $runId) {
      id
      configurationId
      status
      workflowType
      workflowName
      assetFqn
      startedAt
      completedAt
      durationSeconds
      errorMessage
      input
      output
      progress {
        tasks
        pending
        running
        waiting
        completed
        failed
        skipped
        rowsDone
        rowsTotal
      }
      tasks {
        id
        name
        status
        startedAt
        completedAt
        errorMessage
        rowsDone
        rowsTotal
        waitsFor
      }
    }
  }
`;

export const CANCEL_RUN = `
  mutation ConsoleCancelRun($configurationId: UUID!, $runId: UUID!) {
    cancelRun(configurationId: $configurationId, runId: $runId) {
      id
      status
    }
  }
`;

export const RETRY_RUN = `
  mutation ConsoleRetryRun($configurationId: UUID!, $runId: UUID!) {
    retryRun(configurationId: $configurationId, runId: $runId) {
      id
      status
    }
  }
`;

export const WORKFLOWS = `
  query ConsoleWorkflows {
    workflowDefinitions: workflowDefinitionsConnection(available: true, first: 100) {
      nodes {
        id
        name
        workflowType
        category
        description
        dataAssetTypes
      }
    }
  }
`;

export const CONFIGURATIONS = `
  query ConsoleConfigurations($workflowType: WorkflowType!) {
    workflowConfigurations: workflowConfigurationsConnection(workflowType: $workflowType, status: ACTIVE, first: 100) {
      nodes {
        id
        isDefault
        requireReferencePack
      }
    }
  }
`;

export const CONFIGURE = `
  mutation ConsoleConfigure($name: String!, $workflowType: WorkflowType!) {
    createWorkflowConfiguration(configuration: { name: $name, workflowType: $workflowType }) {
      id
    }
  }
`;

export const START_RUN = `
  mutation ConsoleStartRun($configurationId: UUID!, $assetFqn: String!) {
    triggerRun(configurationId: $configurationId, run: { assetFqn: $assetFqn }) {
      id
      configurationId
    }
  }
`;

export const CONNECTIONS = `
  query ConsoleConnections {
    dataConnections: dataConnectionsConnection(first: 100) {
      totalCount
      nodes {
        name
        resourceUri
      }
    }
  }
`;

export const ACCESS = `
  query ConsoleAccess($resourceType: ResourceType!, $resourceId: String!, $user: String) {
    CAN_READ: explainPermission(permission: CAN_READ, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_READ_METADATA: explainPermission(permission: CAN_READ_METADATA, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_WRITE: explainPermission(permission: CAN_WRITE, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_MANAGE_METADATA: explainPermission(permission: CAN_MANAGE_METADATA, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_EXECUTE: explainPermission(permission: CAN_EXECUTE, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_DELETE: explainPermission(permission: CAN_DELETE, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_SHARE: explainPermission(permission: CAN_SHARE, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_READ_SECRETS: explainPermission(permission: CAN_READ_SECRETS, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
    CAN_MANAGE_SECRETS: explainPermission(permission: CAN_MANAGE_SECRETS, resourceType: $resourceType, resourceId: $resourceId, user: $user) {
      ...Explained
    }
  }

  fragment Explained on PermissionExplanation {
    allowed
    chain
    grants
  }
`;

export const HOLDERS = `
  query ConsoleHolders($resourceType: ResourceType!, $resourceId: String!) {
    roleHoldersConnection(ofType: $resourceType, resourceId: $resourceId, first: 100) {
      totalCount
      nodes {
        userOrGroup
        isGroup
        relation
      }
    }
  }
`;

export const GRANT = `
  mutation ConsoleGrant($grant: Grant!) {
    grantPermission(grant: $grant) {
      message
    }
  }
`;

export const REVOKE = `
  mutation ConsoleRevoke($grant: Grant!) {
    revokePermission(grant: $grant) {
      message
    }
  }
`;

export const SUSPECTS = `
  query ConsoleSuspects(
    $fqn: String!
    $asset: String!
    $kind: SuspectKind
    $probabilityAtLeast: Float
    $verdict: SuspectVerdict
    $after: String
  ) {
    suspectCells: suspectCellsConnection(
      assetFqn: $asset
      kind: $kind
      probabilityAtLeast: $probabilityAtLeast
      verdict: $verdict
      orderBy: [MASKED_ASC, PROBABILITY_DESC, ASSET_FQN_ASC]
      first: 100
      after: $after
    ) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        assetFqn
        column
        rowKey
        kind
        reason
        furtherReasons
        value
        repair
        probability
        detectedProbability
        verdict
        decidedBy
        decidedAt
      }
    }
    found: suspectCellsConnection(assetFqn: $fqn, first: 1) {
      totalCount
      nodes {
        measuredAt
        suspectsInTable
      }
    }
  }
`;

export const DECIDE_SUSPECTS = `
  mutation ConsoleDecideSuspects($only: SuspectCellFilter!, $verdict: SuspectVerdict!, $dryRun: Boolean!) {
    decideSuspectCells(decision: { only: $only, verdict: $verdict, dryRun: $dryRun }) {
      decided
      waiting
      sample {
        id
        column
        value
        repair
        reason
      }
    }
  }
`;

export const EXPORT_SUSPECTS = `
  mutation ConsoleExportSuspects($only: SuspectCellFilter!, $name: String!) {
    exportSuspectCells(export: { only: $only, name: $name }) {
      resourceUri
    }
  }
`;
