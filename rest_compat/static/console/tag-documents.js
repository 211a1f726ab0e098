// The GraphQL document of the tags that the platform knows.

export const TAGS = `
  query ConsoleTags {
    taxonomy: taxonomyConnection(first: 100) {
      nodes {
        tagFqn
      }
    }
  }
`;
