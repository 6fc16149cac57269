import { existsSync, readFileSync } from 'node:fs'

/**
 * What a page says about code and is not so: files that are not there, and names that the file before them does not declare.
 * Paths are those below `src/` or from the root of the project.
 */
export function findWrongNames(page: string): readonly string[] {
  const wrong: string[] = []
  const prose = page.replaceAll(/^ *```[^`]*?```$/gms, '')
  for (const [, before = '', code = ''] of prose.matchAll(/(?:`([^`\n]+\.tsx?)` )?`([^`\n]+)`/g)) {
    if (before !== '') wrong.push(...checkName(before, code))
    else if (/^[\w./-]+\/[\w.-]+\.tsx?$/.test(code) && locate(code) === undefined) wrong.push(`${code} does not exist`)
  }
  return wrong
}

function checkName(path: string, name: string): readonly string[] {
  const file = locate(path)
  if (file === undefined) return [`${path} does not exist`]
  return declares(readFileSync(file, 'utf8'), name) ? [] : [`${path} does not declare ${name}`]
}

function locate(path: string): string | undefined {
  return [path, `src/${path}`].find((candidate) => existsSync(candidate))
}

/** Whether a source declares a function, class, type, constant or method of this name. */
export function declares(source: string, name: string): boolean {
  const word = name.replaceAll(/[^\w$]/g, '')
  const declared = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class|interface|type|const) ${word}\\b`, 'm')
  return declared.test(source) || new RegExp(`^  (?:async )?\\*?${word}[(<]`, 'm').test(source)
}
