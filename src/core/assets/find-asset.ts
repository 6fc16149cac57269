import type { AssetDescriptor, AssetKind } from './asset.ts'

const extension = /\.(?:safetensors|gguf)$/iu

/** The name of a weights file without its folders and extension. */
export function weightStem(path: string): string {
  return (path.split(/[/\\]/u).at(-1) ?? path).replace(extension, '')
}

/**
 * Finds an asset by its name. Other programs also name files with their extension and folders: `SDXL/styles/ink.safetensors`.
 *
 * @returns undefined = none.
 */
export function findNamedAsset(assets: readonly AssetDescriptor[], kind: AssetKind, given: string): AssetDescriptor | undefined {
  const own = assets.filter((asset) => asset.kind === kind)
  const name = given.normalize('NFC')
  const plain = name.replace(extension, '').replaceAll('\\', '/')
  return (
    own.find((asset) => asset.name === name) ??
    own.find((asset) => asset.name === plain) ??
    own.find(({ file }) => plain.includes('/') && isAtPath(file, plain))
  )
}

/** Whether a path ends with some folders and a name without extension. */
function isAtPath(file: string, name: string): boolean {
  return file.normalize('NFC').replaceAll('\\', '/').replace(extension, '').endsWith(`/${name}`)
}
