import { basename, dirname } from 'node:path/posix'
import { bannedNames, environmentReader, maxLines, reviewLines } from './import-table.ts'
import type { SourceFile } from './source-file.ts'

/** What is wrong with a file's name, length or content, and what deserves another look. */
export interface FileReport {
  readonly faults: readonly string[]
  readonly notes: readonly string[]
}

/** Looks at one file by itself: its name, its length, and whether it reads the environment. */
export function checkFile({ path, text }: SourceFile): FileReport {
  const lines = text.split('\n').length - 1
  return {
    faults: [
      ...checkName(path),
      ...(lines > maxLines ? [`${path}: has ${lines} lines; split it, ${maxLines} is the most.`] : []),
      ...(writesLog(path, text) ? [`${path}: writes a log line; make it a function of src/telemetry, which moves the metric too.`] : []),
      ...checkRoute(path, text),
      ...checkRow(path, text),
      ...(readsEnvironment(path, text) ? [`${path}: reads process.env; only ${environmentReader} may.`] : []),
    ],
    notes:
      lines > reviewLines && lines <= maxLines
        ? [`${path} has ${lines} lines; above ${reviewLines}, look whether it holds two concepts.`]
        : [],
  }
}

function checkName(path: string): readonly string[] {
  const names = [basename(path).replace(/\..*$/, ''), ...dirname(path).split('/')]
  const kebab = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
  return names
    .filter((name) => bannedNames.includes(name) || !kebab.test(name))
    .map((name) =>
      bannedNames.includes(name)
        ? `${path}: "${name}" says nothing about what is inside; name the concept.`
        : `${path}: write "${name}" in kebab-case.`,
    )
}

function readsEnvironment(path: string, text: string): boolean {
  if (!path.startsWith('src/') || path.startsWith('src/console/app/') || path === environmentReader || path.endsWith('.test.ts'))
    return false
  return text.includes('process.env')
}

function writesLog(path: string, text: string): boolean {
  if (!path.startsWith('src/') || path.startsWith('src/telemetry/') || path.endsWith('.test.ts')) return false
  return /\blog\.(?:trace|debug|info|warn|error|fatal)\(/.test(text)
}

/** The file that turns rows into routes of the server. */
const servesRows = 'src/http/serve-routes.ts'

/** The public interface's routes are rows below `routes/`; nothing else registers one, and their description knows none by its path. */
function checkRow(path: string, text: string): readonly string[] {
  if (!path.startsWith('src/http/') || path.endsWith('.test.ts')) return []
  if (path.startsWith('src/http/openapi/') && /['"]\/[a-z]/.test(text))
    return [`${path}: holds a path; say it in the route's row, which the document is made of.`]
  if (path !== servesRows && /\.(?:get|post|put|delete|route)(?:<\w+>)?\(\s*['"`]\//.test(text))
    return [`${path}: registers a route; write a row below src/http/routes, which ${servesRows} registers.`]
  return []
}

/** A file of the console's routes is found by its name, and the function that registers them by the file's; in a wing, what several of its routes share may lie beside them. */
function checkRoute(path: string, text: string): readonly string[] {
  const [, wing, name] = /^src\/console\/routes\/([a-z-]+\/)?([a-z-]+)\.ts$/.exec(path) ?? []
  if (name === undefined) return []
  const wanted = `register${name.replaceAll(/(?:^|-)([a-z])/g, (_, first: string) => first.toUpperCase())}`
  const [, registers] = /^export (?:async )?function (register\w*)\(/m.exec(text) ?? []
  if (registers === wanted || (wing !== undefined && registers === undefined)) return []
  return [`${path}: must export ${wanted}, so that it is found by the file's name.`]
}
