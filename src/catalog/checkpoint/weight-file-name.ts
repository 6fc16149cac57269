import { basename } from 'node:path'

const extensions = /\.(?:gguf|safetensors|ckpt|pth?|bin)$/iu

/** Whether a file is one of weights, of whatever kind. */
export function isWeightFile(name: string): boolean {
  return extensions.test(name)
}

/** Whether a file of weights is a pickle by its name. */
export function isPickle(name: string): boolean {
  return isWeightFile(name) && !/\.(?:gguf|safetensors)$/iu.test(name)
}

/** The name a file of weights goes by in requests: without extension and without the number of a split. */
export function weightName(path: string): string {
  return basename(path)
    .replace(extensions, '')
    .replace(/-\d{5}-of-\d{5}$/u, '')
}

/** Whether a name can stand in requests, LoRA tags and addresses. */
export function isUsableName(name: string): boolean {
  return name.length > 0 && name.length <= 128 && name === name.trim() && !/[<>:"/\\|?*\p{Cc}]/u.test(name)
}

/** What a folder in diffusers' layout goes by: its name, or in the hub's cache (`models--owner--name/snapshots/<revision>`) that of its repository. */
export function folderName(folder: string): string {
  const cached = /[/\\]models--[^/\\]*?--([^/\\]+)[/\\]snapshots[/\\][^/\\]+$/u.exec(folder)?.[1]
  return cached ?? weightName(folder)
}
