import { findExports } from './find-exports.ts'
import { importedFiles } from './find-imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

/** One thing that a file offers by name and that no other file imports. */
export interface UnusedExport {
  readonly path: string
  readonly name: string
  /** Line of the source file, from 1. */
  readonly line: number
}

/** Functions, classes and values that sources export for nobody. Types are let be: they say what an exported function takes. */
export function findUnused(sources: readonly SourceFile[]): readonly UnusedExport[] {
  const importers = new Map<string, Set<string>[]>()
  for (const file of sources) {
    const words = new Set(file.text.match(/[\w$]+/g))
    for (const target of importedFiles(file)) importers.set(target, [...(importers.get(target) ?? []), words])
  }
  return sources
    .filter((source) => !isTest(source))
    .flatMap(({ path, text }) =>
      findExports(text)
        .filter(({ name, kind }) => kind !== 'type' && !importers.get(path)?.some((words) => words.has(name)))
        .map(({ name, line }) => ({ path, name, line })),
    )
}
