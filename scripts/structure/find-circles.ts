import { importedFiles } from './find-imports.ts'
import type { SourceFile } from './source-file.ts'

/** Files that import each other, directly or by way of others, as groups of paths; imports of types count. */
export function findCircles(sources: readonly SourceFile[]): readonly (readonly string[])[] {
  const known = new Set(sources.map(({ path }) => path))
  const targets = new Map(sources.map((file) => [file.path, importedFiles(file).filter((target) => known.has(target))] as const))
  return strongComponents(targets).filter((group) => group.length > 1)
}

/** Tarjan's strongly connected components. */
function strongComponents(targets: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const stack: string[] = []
  const components: (readonly string[])[] = []
  const visit = (node: string): number => {
    const index = order.size
    order.set(node, index)
    stack.push(node)
    let low = index
    for (const target of targets.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target))
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low)
    }
    if (low === index) components.push(stack.splice(stack.indexOf(node)).toSorted())
    return low
  }
  for (const node of targets.keys()) if (!order.has(node)) visit(node)
  return components
}
