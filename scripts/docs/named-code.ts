import { existsSync, globSync, readFileSync } from 'node:fs'

/**
 * What a page says about code and is not so: files that are not there, and names that the file before them does not declare.
 * Paths are those below `src/` or from the root of the project, or end a path below `folder`.
 */
export function findWrongNames(page: string, folder = 'src'): readonly string[] {
  const wrong: string[] = []
  const prose = page.replaceAll(/^ *```[^`]*?```$/gms, '')
  for (const [, before = '', code = ''] of prose.matchAll(/(?:`([^`\n]+\.tsx?)` )?`([^`\n]+)`/g)) {
    const files = [before, code].filter((each) => /^[\w./-]+\.tsx?$/.test(each))
    if (before !== '' && files.length === 1) wrong.push(...checkName(before, code, folder))
    else wrong.push(...files.filter((file) => locate(file, folder) === undefined).map((file) => `${file} does not exist`))
  }
  return wrong
}

function checkName(path: string, name: string, folder: string): readonly string[] {
  const file = locate(path, folder)
  if (file === undefined) return [`${path} does not exist`]
  return declares(readFileSync(file, 'utf8'), name) ? [] : [`${path} does not declare ${name}`]
}

function locate(path: string, folder: string): string | undefined {
  return [path, `src/${path}`].find((candidate) => existsSync(candidate)) ?? globSync(`${folder}/**/${path}`)[0]
}

/** Whether a source declares a function, class, type, constant or method of this name. */
export function declares(source: string, name: string): boolean {
  const word = name.replaceAll(/[^\w$]/g, '')
  const declared = new RegExp(`^(?:export )?(?:async )?(?:function\\*?|class|interface|type|const) ${word}\\b`, 'm')
  return declared.test(source) || new RegExp(`^  (?:async )?\\*?${word}[(<]`, 'm').test(source)
}
