import { dirname } from 'node:path/posix'
import { findCircles } from './find-circles.ts'
import { findUnused } from './find-unused.ts'
import { maxSourcesPerFolder } from './import-table.ts'
import { isTest, type SourceFile } from './source-file.ts'

/** What is wrong with the tree as a whole: files that import each other in a circle, what is exported for nobody, and folders that hold too much. */
export function checkTree(sources: readonly SourceFile[]): readonly string[] {
  return [
    ...findCircles(sources).map(
      (group) => `${group.join(', ')}: import each other in a circle; move what they share into a file of its own.`,
    ),
    ...findUnused(sources).map(
      ({ path, name, line }) => `${path}:${line}: no other file imports ${name}; take its export away, or itself.`,
    ),
    ...sourcesPerFolder(sources)
      .filter(([, count]) => count > maxSourcesPerFolder)
      .map(([folder, count]) => `${folder}: holds ${count} sources; make folders of its parts, ${maxSourcesPerFolder} is the most.`),
  ]
}

/** Sources of each folder, most first; tests and what lies in folders below do not count. */
export function sourcesPerFolder(sources: readonly SourceFile[]): readonly (readonly [folder: string, count: number])[] {
  const counts = new Map<string, number>()
  for (const { path } of sources.filter((source) => !isTest(source))) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}
