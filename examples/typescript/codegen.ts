import type { CodegenConfig } from '@graphql-codegen/cli';

/** Typed documents of `src/codegen.ts`, and the file of trusted documents that a server may be given. */
const config: CodegenConfig = {
  schema: '../../schema/schema.graphql',
  documents: ['src/codegen.ts'],
  importExtension: '.js',
  generates: {
    'src/generated/graphql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false, persistedDocuments: { hashAlgorithm: 'sha256' } },
      config: {
        documentMode: 'string',
        enumsAsTypes: true,
        useTypeImports: true,
        strictScalars: true,
        scalars: { DateTime: 'string', JSON: 'unknown', Long: 'number', UUID: 'string', Upload: 'Blob' },
      },
    },
  },
};

export default config;
