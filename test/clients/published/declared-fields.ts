import { readFileSync } from 'node:fs'

/**
 * The names that an interface of a published client's own declarations has.
 *
 * The compiler here has no interface for programs, so that this reads the declarations as their generator lays them out: one member
 * per line, and whatever is nested in braces.
 */
export function declaredFields([client, file, name]: readonly [string, string, string]): readonly string[] {
  const source = readFileSync(new URL(file, packageFolder(client)), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const start = new RegExp(`^export interface ${name}(?: extends [^{]+)? \\{$`, 'm').exec(source)
  if (start === null) throw new Error(`${client} declares no interface ${name} in ${file}`)
  const names: string[] = []
  let depth = 1
  for (const line of source.slice(start.index + start[0].length).split('\n')) {
    const member = /^\s*(?:readonly )?'?([\w-]+)'?\??:/.exec(line)?.[1]
    if (depth === 1 && member !== undefined) names.push(member)
    depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length
    if (depth === 0) return names
  }
  throw new Error(`The interface ${name} in ${file} has no end`)
}

function packageFolder(client: string): string {
  const entry = import.meta.resolve(client)
  const folder = `/node_modules/${client}/`
  return entry.slice(0, entry.indexOf(folder) + folder.length)
}
