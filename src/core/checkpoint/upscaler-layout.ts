/** Structure of an ESRGAN network, derived from the names and shapes of its tensors. @see Wang et al. 2018, arXiv:1809.00219 */
export interface UpscalerLayout {
  /** Prefix of all tensor names, such as `params_ema.`. */
  readonly prefix: string
  /** `old` numbers modules (`model.0`, `model.1.sub.0.RDB1` …), `new` names them (`conv_first`, `body.0.rdb1` …). */
  readonly naming: 'old' | 'new'
  /** Number of residual-in-residual blocks in the trunk. */
  readonly blocks: number
  /** Number of 2× enlargements after the trunk. */
  readonly doublings: number
  /** Side of the pixel squares merged into channels of one input pixel (pixel unshuffle): 1, 2 or 4. */
  readonly gathered: number
  /** Factor of enlargement per side. */
  readonly scale: number
}

interface Shapes {
  readonly tensors: ReadonlyMap<string, { readonly shape: readonly number[] }>
}

const colours = 3

/**
 * Reads the structure of an upscaler; null = not an upscaler, a string = why it is not supported, completing a sentence that begins with
 * its name.
 */
export function readUpscalerLayout({ tensors }: Shapes): UpscalerLayout | string | null {
  const prefix = ['params_ema.', 'params.', ''].find((each) => [...tensors.keys()].some((name) => name.startsWith(each))) ?? ''
  const shape = (name: string): readonly number[] | undefined => tensors.get(`${prefix}${name}.weight`)?.shape
  const count = (nameOf: (i: number) => string): number => {
    let found = 0
    while (shape(nameOf(found)) !== undefined) found++
    return found
  }
  const isNew = shape('conv_first') !== undefined && shape('body.0.rdb1.conv1') !== undefined
  if (!isNew && shape('model.1.sub.0.RDB1.conv1.0') === undefined) {
    const isCompact = shape('body.0')?.length === 4 && shape('body.1')?.length === 1
    return isCompact ? 'is a compact upscaler (SRVGG), which Sepia does not support; use an ESRGAN network (RRDB)' : null
  }
  const naming = isNew ? 'new' : 'old'
  const blocks = isNew ? count((i) => `body.${i}.rdb1.conv1`) : count((i) => `model.1.sub.${i}.RDB1.conv1.0`)
  const doublings = isNew ? count((i) => `conv_up${i + 1}`) : oldDoublings(shape)
  const channels = shape(isNew ? 'conv_first' : 'model.0')?.[1] ?? 0
  const gathered = Math.sqrt(channels / colours)
  const hasOtherParts = [...tensors.keys()].some((name) => /\.conv1x1\.|\.noise/u.test(name))
  if (![1, 2, 4].includes(gathered) || doublings === null || hasOtherParts)
    return 'is an ESRGAN variant that Sepia does not support; use a plain one for RGB images'
  const scale = 2 ** doublings / gathered
  return scale < 1 ? 'makes images smaller' : { prefix, naming, blocks, doublings, gathered, scale }
}

/**
 * In the old naming, activations and enlargements are numbered too: the trunk is followed by `model.3`, `model.6` … and the last two
 * convolutions.
 */
function oldDoublings(shape: (name: string) => readonly number[] | undefined): number | null {
  for (let doublings = 0; doublings <= 4; doublings++) {
    const next = 3 * doublings + 2
    if (shape(`model.${next}`) !== undefined) return shape(`model.${next + 2}`)?.[0] === colours ? doublings : null
    if (shape(`model.${next + 1}`) === undefined) return null
  }
  return null
}

/** The name of a module in the new naming; undefined if it is not part of the network. */
export function renameUpscalerModules({ prefix, naming, blocks, doublings }: UpscalerLayout): (name: string) => string | undefined {
  if (naming === 'new') return (name) => (name.startsWith(prefix) ? name.slice(prefix.length) : undefined)
  const last = 3 * doublings + 2
  const modules = new Map([
    ['model.0', 'conv_first'],
    [`model.1.sub.${blocks}`, 'conv_body'],
    ...Array.from({ length: doublings }, (_, i) => [`model.${3 * i + 3}`, `conv_up${i + 1}`] as const),
    [`model.${last}`, 'conv_hr'],
    [`model.${last + 2}`, 'conv_last'],
  ])
  return (name) => {
    if (!name.startsWith(prefix)) return undefined
    const own = name.slice(prefix.length)
    const inTrunk = /^model\.1\.sub\.(\d+)\.RDB([123])\.conv([1-5])\.0\.(weight|bias)$/u.exec(own)
    if (inTrunk !== null) return `body.${inTrunk[1]}.rdb${inTrunk[2]}.conv${inTrunk[3]}.${inTrunk[4]}`
    const dot = own.lastIndexOf('.')
    const known = modules.get(own.slice(0, dot))
    return known === undefined ? undefined : known + own.slice(dot)
  }
}
