import { importedFiles } from './find-imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

/** A file below this many lines needs a second importer, or to be one that starts a process or a thread. */
const smallLines = 25

/** Sources that are small and imported by one other source only, so that they could be part of it. */
export function smallSources(sources: readonly SourceFile[]): readonly { readonly path: string; readonly importer: string }[] {
  const code = sources.filter((source) => source.path.startsWith('src/') && !isTest(source))
  const importers = new Map<string, Set<string>>()
  for (const file of code)
    for (const target of importedFiles(file)) importers.set(target, (importers.get(target) ?? new Set()).add(file.path))
  return code.flatMap(({ path, text }) => {
    const [importer = '', ...others] = importers.get(path) ?? []
    return importer !== '' && others.length === 0 && text.split('\n').length - 1 < smallLines ? [{ path, importer }] : []
  })
}
