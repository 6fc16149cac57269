import type { RepositoryFile } from './hub-access.ts'

/** Files of an image model, by path in its folder. */
export interface ChosenPictureModel {
  readonly files: ReadonlyMap<string, RepositoryFile>
  /** The single weights file; null = a folder in diffusers' layout. */
  readonly file: string | null
  readonly notes: readonly string[]
}

const networks = ['unet', 'transformer', 'vae', 'text_encoder', 'text_encoder_2', 'text_encoder_3'] as const
const isConfig =
  /^(?:model_index\.json|(?:unet|transformer|vae|text_encoder|text_encoder_[23]|scheduler|tokenizer|tokenizer_[23])\/(?:[^/]+\.(?:json|txt)|spiece\.model))$/

/**
 * Chooses the files of an image model's repository: the named file, a folder in diffusers' layout (in half precision if available), else
 * the only weights file.
 *
 * @returns null = the repository has no such model.
 * @throws {Error} naming the files if the choice is ambiguous.
 */
export function choosePictureModel(repository: string, files: readonly RepositoryFile[], choice: string | null): ChosenPictureModel | null {
  const weights = files.filter(({ path }) => path.endsWith('.safetensors'))
  if (choice !== null) {
    const named = files.find(({ path }) => path === choice)
    if (named !== undefined && /\.(?:ckpt|pt|pth|bin|pkl)$/.test(choice))
      throw new Error(`${choice} is a pickle, which can run code when it is read; choose a .safetensors file of ${repository}.`)
    if (named?.path.endsWith('.safetensors') !== true)
      throw new Error(
        `${repository} has no file ${choice}; it has: ${weights.map(({ path }) => path).join(', ') || 'no .safetensors file'}.`,
      )
    return oneFile(named)
  }
  if (weights.length === 0) return null
  const folder = chooseFolder(files)
  if (folder !== null) return folder
  const roots = weights.filter(({ path }) => !path.includes('/'))
  const [only] = roots
  if (only === undefined) return null
  if (roots.length > 1)
    throw new Error(`${repository} has several models; add one of them with ":": ${roots.map(({ path }) => path).join(', ')}.`)
  return oneFile(only)
}

function oneFile(file: RepositoryFile): ChosenPictureModel {
  const name = file.path.split('/').at(-1) ?? file.path
  return { files: new Map([[name, file]]), file: name, notes: [] }
}

/** Half-precision files have names with `.fp16.`; they are stored under plain names. */
function chooseFolder(files: readonly RepositoryFile[]): ChosenPictureModel | null {
  if (!files.some(({ path }) => path === 'model_index.json')) return null
  const chosen = new Map(files.filter(({ path }) => isConfig.test(path)).map((file) => [file.path, file]))
  let halved = false
  for (const network of networks) {
    const inside = files.filter(({ path }) => path.startsWith(`${network}/`) && path.endsWith('.safetensors'))
    const half = inside.filter(({ path }) => /\.fp16(?:-\d{5}-of-\d{5})?\.safetensors$/.test(path))
    const plain = inside.filter(({ path }) => /^[^.]+\.safetensors$/.test(path))
    for (const file of half.length > 0 ? half : plain) chosen.set(file.path.replace('.fp16', ''), file)
    halved ||= half.length > 0
  }
  if (![...chosen.keys()].some((path) => /^(?:unet|transformer)\/.*\.safetensors$/.test(path))) return null
  return {
    files: chosen,
    file: null,
    notes: halved ? ['Sepia downloads the half-precision files if there are any: half the size, and images look the same.'] : [],
  }
}
