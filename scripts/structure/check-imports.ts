import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize } from 'node:path/posix'
import { type FoundImport, findImports } from './find-imports.ts'
import { type AreaRule, importTable, testAreas } from './import-table.ts'
import { isTest, type SourceFile } from './source-file.ts'

/**
 * Everything that a file under `src/` imports and must not, or that does not exist.
 *
 * @param options.exists Whether a path from the root of the project is a file.
 */
export function checkImports(
  { path, text }: SourceFile,
  { exists = existsSync }: { readonly exists?: (path: string) => boolean } = {},
): readonly string[] {
  const area = areaOf(path)
  if (area === undefined) return [`${path}: its folder is in no area of scripts/structure/import-table.ts; enter it there.`]
  const rule = importTable[area] ?? { areas: [] }
  return findImports(text).flatMap((found) => {
    const { specifier } = found
    if (specifier.startsWith('.')) return checkRelative({ path, area, rule }, found, exists)
    if (specifier.startsWith('node:'))
      return rule.builtins === 'none' && !isTest({ path }) ? [`${path}: ${area} must not import ${specifier}.`] : []
    if (builtinModules.includes(specifier)) return [`${path}: write node:${specifier} instead of ${specifier}.`]
    return rule.packages?.includes(packageOf(specifier)) ? [] : [`${path}: ${area} must not import the package ${specifier}.`]
  })
}

/** The longest area that holds a path; undefined outside `src/` and in a folder without an area. */
export function areaOf(path: string): string | undefined {
  const inside = path.startsWith('src/') ? path.slice('src/'.length) : path
  return Object.keys(importTable)
    .filter((area) => inside === area || inside.startsWith(`${area}/`))
    .toSorted((a, b) => b.length - a.length)[0]
}

/** `@scope/name/part` → `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function checkRelative(
  { path, area, rule }: { readonly path: string; readonly area: string; readonly rule: AreaRule },
  { specifier, typeOnly }: FoundImport,
  exists: (path: string) => boolean,
): readonly string[] {
  const target = normalize(join(dirname(path), specifier))
  if (!exists(target)) return [`${path}: ${specifier} does not exist.`]
  if (isTest({ path }) && target.startsWith('test/')) return []
  const targetArea = target.startsWith('src/') ? areaOf(target) : undefined
  if (targetArea === area) return []
  if (targetArea === undefined) return target === 'package.json' ? [] : [`${path}: must not import ${specifier}, which is outside src.`]
  const allowed = [...rule.areas, ...(typeOnly ? (rule.types ?? []) : []), ...(isTest({ path }) ? testAreas : [])]
  return allowed.includes(targetArea) ? [] : [`${path}: ${area} must not import ${targetArea} (${specifier}).`]
}
