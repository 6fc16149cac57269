import { sourcesPerFolder } from './check-tree.ts'
import { findCircles } from './find-circles.ts'
import { findExports } from './find-exports.ts'
import { importedFiles } from './find-imports.ts'
import { smallSources } from './small-sources.ts'
import { isTest, type SourceFile } from './source-file.ts'

/** `...(x !== undefined && { x })`, and the same with `?`. */
const conditionalSpread = /\.\.\.\([^{;]{0,200}?(?:&&|\?)\s*\{/g

/** How large the parts of the project are, as lines of text. */
export function figures(sources: readonly SourceFile[]): readonly string[] {
  const code = sources.filter((source) => source.path.startsWith('src/') && !isTest(source))
  const tests = sources.filter((source) => source.path.startsWith('test/') || (source.path.startsWith('src/') && isTest(source)))
  const lines = code.map(linesOf).toSorted((a, b) => a - b)
  const total = sum(lines)
  const testLines = sum(tests.map(linesOf))
  const exports = code.flatMap(({ text }) => findExports(text))
  const documented = exports.filter((each) => each.documented).length
  const folders = sourcesPerFolder(sources)
  return [
    `sources: ${code.length} files, ${total} lines; median ${quantile(lines, 0.5)}, 90 % ${quantile(lines, 0.9)}, longest ${lines.at(-1) ?? 0}`,
    `small with one importer: ${smallSources(sources).length}; imports per file: ${(sum(code.map((file) => importedFiles(file).length)) / Math.max(1, code.length)).toFixed(1)}; conditional spreads: ${sum(code.map(({ text }) => text.match(conditionalSpread)?.length ?? 0))}`,
    `folders: ${folders.length}; most sources in one: ${folders
      .slice(0, 5)
      .map(([folder, count]) => `${folder} ${count}`)
      .join(', ')}`,
    `import circles: ${
      findCircles(code)
        .map((group) => group.join(' ↔ '))
        .join('; ') || 'none'
    }`,
    `exports: ${exports.length}, ${percent(documented, exports.length)} with a doc comment, ${exports.filter((each) => !each.typed).length} without a return type`,
    `tests: ${tests.length} files, ${testLines} lines; ${(testLines / Math.max(1, total)).toFixed(2)} lines per line of source`,
    ...perArea(code, tests),
  ]
}

function perArea(code: readonly SourceFile[], tests: readonly SourceFile[]): readonly string[] {
  const areas = [...new Set(code.map(({ path }) => areaOf(path)))].toSorted()
  return areas.map((area) => {
    const own = sum(code.filter(({ path }) => areaOf(path) === area).map(linesOf))
    const beside = sum(tests.filter(({ path }) => areaOf(path) === area).map(linesOf))
    return `  ${area}: ${own} lines, tests beside them ${beside} (${(beside / Math.max(1, own)).toFixed(2)})`
  })
}

/** The folder below `src/`, two deep where runtimes, storage and the console have rooms of their own. */
function areaOf(path: string): string {
  const [, first = '', second = ''] = path.split('/')
  return ['runtimes', 'console', 'http', 'storage'].includes(first) && !second.includes('.') ? `src/${first}/${second}` : `src/${first}`
}

function linesOf({ text }: SourceFile): number {
  return text.split('\n').length - 1
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function percent(part: number, whole: number): string {
  return `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
