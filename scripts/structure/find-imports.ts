import { dirname, join, normalize } from 'node:path/posix'
import type { SourceFile } from './source-file.ts'

/** One import of a source file. */
export interface FoundImport {
  /** As written: `./text.ts`, `node:fs`, `fastify`. */
  readonly specifier: string
  /** Whether it vanishes when types are stripped. */
  readonly typeOnly: boolean
}

const comment = /^\s*(?:\/\/|\/?\*).*$/gm
const template = /`(?:\\.|[^`\\])*`/g
const statement = /^(?:import|export)\s+(type\s)?[^'"`;]*?\bfrom\s+'([^']+)'/gm
const bare = /^import\s+'([^']+)'/gm
/** Without Vite's words behind a question mark, which say how to bundle the file. */
const dynamic = /\bimport\(\s*'([^'?]+)(?:\?[^']*)?'\s*\)/g
const entry = /\bnew URL\(\s*'([^']+\.tsx?)',\s*import\.meta\.url\s*\)/g

/** Finds every import in a formatted source file: statements, dynamic imports, and files named as entry points of processes and threads. */
export function findImports(source: string): readonly FoundImport[] {
  const code = source.replaceAll(comment, '').replaceAll(template, '``')
  return [
    ...Array.from(code.matchAll(statement), ([, type, specifier = '']) => ({ specifier, typeOnly: type !== undefined })),
    ...[bare, dynamic, entry].flatMap((pattern) =>
      Array.from(code.matchAll(pattern), ([, specifier = '']) => ({ specifier, typeOnly: false })),
    ),
  ]
}

/** Paths of the project's own files that a source file imports. */
export function importedFiles({ path, text }: SourceFile): readonly string[] {
  return findImports(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => normalize(join(dirname(path), specifier)))
}
