// What the front page asks of the graph: what there is, how good it is and what waits.
export const OVERVIEW = `
  query ConsoleOverview {
    tables: searchMetadataConnection(assetType: TABLE, first: 1) {
      totalCount
    }
    violations: violationsConnection(status: OPEN, first: 1) {
      totalCount
    }
    suspects: suspectCellsConnection(verdict: UNDECIDED, first: 1) {
      totalCount
    }
    dataConnections: dataConnectionsConnection(first: 4) {
      totalCount
      nodes {
        name
        resourceUri
      }
    }
  }
`;

export const SCORE_OF = `
  query ConsoleScoreOf($fqn: String!, $below: String!) {
    scorecard(request: { assetFqn: $fqn }) {
      overallScore
      dataQuality {
        score
      }
      metadata {
        score
      }
    }
    tables: searchMetadataConnection(q: $below, assetType: TABLE, first: 100) {
      pageInfo {
        hasNextPage
      }
      nodes {
        rowCount
        columnCount
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
