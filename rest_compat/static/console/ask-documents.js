// What an answer stands on, and how to want it no more.
export const PROVENANCE = `
  query ConsoleProvenance($sessionId: UUID!, $turnId: UUID!) {
    turnProvenance(sessionId: $sessionId, turnId: $turnId) {
      drafter
      createdAt
      warnings
      evidence
      tables {
        fqn
        version
        qualityScore
        openViolations
        columns {
          name
        }
      }
      memories {
        id
        name
      }
      policies {
        id
        name
      }
    }
  }
`;

export const CANCEL_TASK = `
  mutation ConsoleCancelTask($taskId: UUID!) {
    cancelTask(taskId: $taskId) {
      taskId
    }
  }
`;
