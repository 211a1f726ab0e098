// The GraphQL documents of the inbox: what waits, in groups and one by one, and decisions with what they would change;
// and of rules, which are decided on the page of their table as well.

export const DECIDING = `
  query ConsoleDeciding($after: String) {
    projectRuns: projectRunsConnection(status: COMPLETED, first: 50, after: $after) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id
        workflowType
        assetFqn
        completedAt
        waiting: proposals(first: 1, state: [PROPOSED]) {
          totalCount
        }
        rejected: proposals(first: 1, state: [REJECTED]) {
          totalCount
        }
      }
    }
  }
`;

export const WAITING = `
  query ConsoleWaiting(
    $runId: UUID!
    $state: ProposalState!
    $kind: ProposalKind
    $minConfidence: Float
    $assetsLike: String
  ) {
    runProposals: runProposalsConnection(
      runId: $runId
      state: $state
      kind: $kind
      minConfidence: $minConfidence
      assetsLike: $assetsLike
      joined: false
      first: 1
    ) {
      totalCount
    }
  }
`;

export const PROPOSAL_GROUPS = `
  query ConsoleProposalGroups(
    $runId: UUID!
    $state: ProposalState!
    $kind: ProposalKind
    $minConfidence: Float
    $assetsLike: String
    $after: String
  ) {
    proposalGroups: proposalGroupsConnection(
      runId: $runId
      state: $state
      kind: $kind
      minConfidence: $minConfidence
      assetsLike: $assetsLike
      first: 50
      after: $after
    ) {
      totalCount
      pageInfo {
        endCursor
        hasNextPage
      }
      nodes {
        id: group
        kind
        says
        proposals
        assets
        lowestConfidence
        highestConfidence
        example {
          id
          kind
          assetFqn
          resourceUri
          proposedValue
          standingValue
          confidence
        }
      }
    }
  }
`;

export const PROPOSALS = `
  query ConsoleProposals(
    $runId: UUID!
    $state: ProposalState!
    $group: String!
    $minConfidence: Float
    $assetsLike: String
  ) {
    runProposals: runProposalsConnection(
      runId: $runId
      state: $state
      group: $group
      minConfidence: $minConfidence
      assetsLike: $assetsLike
      first: 50
    ) {
      totalCount
      nodes {
        id
        kind
        assetFqn
        resourceUri
        proposedValue
        standingValue
        confidence
      }
    }
  }
`;

export const PROPOSAL = `
  query ConsoleProposal($runId: UUID!, $assetFqn: String!, $kind: ProposalKind!) {
    runProposals: runProposalsConnection(runId: $runId, assetFqn: $assetFqn, kind: $kind, first: 100) {
      nodes {
        id
        standingValue
        evidence
      }
    }
  }
`;

export const DECIDE_PROPOSALS = `
  mutation ConsoleDecideProposals($runId: UUID!, $decision: Decision!, $ids: [UUID!], $notes: String) {
    decideRun(runId: $runId, approval: { decision: $decision, proposalIds: $ids, notes: $notes }) {
      pending
      conflicted
      conflicts {
        proposalId
        message
      }
    }
  }
`;

export const TRY_PROPOSALS = `
  mutation ConsoleTryProposals($runId: UUID!, $decision: Decision!, $only: ProposalFilter!) {
    decideRun(runId: $runId, approval: { decision: $decision, only: $only, dryRun: true }) {
      moved
      waiting
      conflicted
      conflicts {
        assetFqn
        message
      }
      sample {
        id
        assetFqn
        proposedValue
        standingValue
      }
    }
  }
`;

export const DECIDE_MATCHING = `
  mutation ConsoleDecideMatching(
    $runId: UUID!
    $decision: Decision!
    $only: ProposalFilter!
    $notes: String
    $afterTable: String
  ) {
    decideRun(
      runId: $runId
      approval: { decision: $decision, only: $only, notes: $notes, afterTable: $afterTable }
    ) {
      moved
      conflicted
      conflicts {
        message
      }
      goOnAfterTable
    }
  }
`;

export const TRIAGED_VIOLATIONS = `
  query ConsoleTriagedViolations(
    $status: ViolationStatus!
    $severity: Severity
    $assetsLike: String
    $after: String
  ) {
    violations: violationsConnection(
      status: $status
      severity: $severity
      assetsLike: $assetsLike
      orderBy: [SEVERITY_DESC, CREATED_AT_ASC]
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
        name
        displayName
        inWords
        severity
        assetFqn
        column
        details
        lastSeenAt
        seenCount
        assignedTo
      }
    }
  }
`;

export const REACHED = `
  query ConsoleReached($violationId: UUID!) {
    violationImpact(violationId: $violationId) {
      total
      hidden
      items {
        tableFqn
        resourceUri
      }
    }
  }
`;

export const DECIDE_VIOLATION = `
  mutation ConsoleDecideViolation($violationId: UUID!, $status: ViolationStatus!, $notes: String) {
    updateViolation(violationId: $violationId, changes: { status: $status, resolutionNotes: $notes }) {
      id
      status
    }
  }
`;

export const DECIDE_VIOLATIONS = `
  mutation ConsoleDecideViolations(
    $only: ViolationFilter!
    $status: ViolationStatus!
    $notes: String
    $dryRun: Boolean!
  ) {
    decideViolations(decision: { only: $only, status: $status, resolutionNotes: $notes, dryRun: $dryRun }) {
      moved
      waiting
      barred
      sample {
        id
        assetFqn
        name
        displayName
        inWords
      }
    }
  }
`;

export const CHANGE_RULE = `
  mutation ConsoleChangeRule($ruleId: UUID!, $state: RuleState!) {
    updateQualityRule(ruleId: $ruleId, changes: { state: $state }) {
      id
      state
    }
  }
`;

export const DELETE_RULE = `
  mutation ConsoleDeleteRule($ruleId: UUID!) {
    deleteQualityRule(ruleId: $ruleId) {
      deleted
    }
  }
`;

export const TRY_RULE = `
  mutation ConsoleTryRule($rule: QualityRuleCreate!) {
    tryQualityRule(rule: $rule) {
      inWords
      outcome
      numerator
      denominator
      reason
      examples
    }
  }
`;

export const WRITE_RULE = `
  mutation ConsoleWriteRule($rule: QualityRuleCreate!) {
    createQualityRule(rule: $rule) {
      id
      name
    }
  }
`;

export const WRONG = `
  query ConsoleWrong($fqn: String!) {
    scorecard(request: { assetFqn: $fqn }) {
      overallScore
    }
    actions: actionsConnection(assetFqn: $fqn, first: 3) {
      totalCount
      nodes {
        violationId
        what
        reason
        severity
      }
    }
    violations: violationsConnection(assetFqn: $fqn, status: OPEN, first: 100) {
      totalCount
      nodes {
        id
        name
        displayName
        inWords
        severity
        column
        lastSeenAt
        seenCount
      }
    }
  }
`;

export const WAITING_ON = `
  query ConsoleWaitingOn($resourceUri: String!, $fqn: String!) {
    metadata(ofType: DATA_CONNECTION, resourceUri: $resourceUri, fqn: $fqn, assetType: TABLE) {
      suspectCells(first: 1, verdict: [UNDECIDED, WRONG]) {
        totalCount
        nodes {
          suspectsInTable
        }
      }
      proposals(state: [PROPOSED], first: 1) {
        totalCount
        nodes {
          runId
        }
      }
    }
  }
`;

export const DOWNLOAD = `
  query ConsoleDownload($resourceUri: String!) {
    artifactDownload(resourceUri: $resourceUri) {
      name
      url
    }
  }
`;
