// The GraphQL documents of semantic models, which come and go as files.

export const IMPORT_MODEL = `
  mutation ConsoleImportModel(
    $format: SemanticFormat!
    $text: String!
    $resourceUri: String!
    $contextPackId: UUID!
  ) {
    importSemanticModel(
      model: { format: $format, text: $text, resourceUri: $resourceUri, contextPackId: $contextPackId }
    ) {
      created
      kept
      ended
      dropped {
        where
        reason
      }
    }
  }
`;

export const EXPORT_MODEL = `
  query ConsoleExportModel($packId: UUID!, $resourceUri: String!, $format: SemanticExportFormat!) {
    semanticModel(packId: $packId, resourceUri: $resourceUri, format: $format) {
      text
      memories
      dropped {
        where
        reason
      }
    }
  }
`;
