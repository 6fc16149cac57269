import { importedFiles } from './find-imports.ts'
import { isTest, type SourceFile } from './source-file.ts'

/** A file below this many lines needs a second importer or a reason. */
const smallLines = 25

/** Why a small file with one importer may stand alone. */
const reasons: readonly (readonly [path: RegExp, why: string])[] = [
  [/-(?:engine|devices|thread)\.ts$/, 'starts a process or a thread'],
  [/\/(?:routes|commands)\//, 'is one subject in a list of routes or commands'],
  [/\/(?:check-schema|highlight|passkey-button)\.tsx?$/, 'is loaded on first use, or loads a package then'],
  [/^src\/console\/app\/browser\//, 'is what pages need of the browser'],
  [/-samples\.ts$/, 'holds sentences that are not translated, which pages may not'],
  [/\/sqlite\/(?:usage-log|document-store)\.ts$/, 'is the second implementation of a port'],
  [
    /\/(?:safe-address|choose-generation|safety-headers|image-parameters|read-changes)\.ts$/,
    'is a rule with tests of its own, or a call of the service',
  ],
]

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

/** One sentence for each small source that has one importer and no reason to stand alone. */
export function checkSmallSources(sources: readonly SourceFile[]): readonly string[] {
  return smallSources(sources)
    .filter(({ path }) => !reasons.some(([pattern]) => pattern.test(path)))
    .map(({ path, importer }) => `${path}: has under ${smallLines} lines and one importer; move it into ${importer}.`)
}
