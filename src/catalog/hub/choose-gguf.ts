import type { RepositoryFile } from './hub-access.ts'

/** Files of one quantization; the first part of a split file comes first. */
export interface ChosenGguf {
  readonly files: readonly RepositoryFile[]
  /** Quantization in the file name; null = none. */
  readonly quantization: string | null
  /** Whether it is the default. */
  readonly isDefault: boolean
  /** Its projector, if the repository has one; half precision is preferred. */
  readonly projector: RepositoryFile | null
  /** Notes about files that were left out. */
  readonly notes: readonly string[]
}

const quantizationInName = /(?:^|[-._/])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|MXFP4(?:_MOE)?|TQ\d_\d|BF16|F16|F32|FP16))(?=[-./]|$)/i
const splitInName = /-(\d{5})-of-(\d{5})\.gguf$/i
/** Order of preference for the default quantization: the best quality for its size first. */
const preferred = ['Q4_K_M', 'Q4_K_S', 'Q4_0', 'Q5_K_M', 'Q8_0', 'Q6_K', 'MXFP4', 'MXFP4_MOE', 'F16', 'BF16']

/**
 * Chooses the files of a GGUF repository.
 *
 * @param choice A quantization or a file's path; null = the first preferred one, or the only one.
 * @returns null = the repository has no GGUF file.
 * @throws {Error} naming the quantizations that it has.
 */
export function chooseGguf(repository: string, files: readonly RepositoryFile[], choice: string | null): ChosenGguf | null {
  const weights = files.filter(({ path }) => /\.gguf$/i.test(path))
  const projectors = weights.filter(({ path }) => isNamedProjector(path))
  const sets = groupSets(weights.filter((file) => !projectors.includes(file) && !/imatrix/i.test(file.path)))
  if (sets.length === 0) return null
  const standard =
    preferred.map((name) => sets.find(({ quantization }) => quantization === name)).find((set) => set !== undefined) ?? sets[0]
  const wanted = choice?.toUpperCase()
  const found =
    wanted === undefined ? standard : sets.find((set) => set.quantization === wanted || set.files.some(({ path }) => path === choice))
  const names = sets.map(({ quantization, files: [first] }) => quantization ?? first?.path ?? '')
  if (found === undefined) throw new Error(`${repository} has no ${choice}; it has: ${names.join(', ')}.`)
  const missing = found.count - found.files.length
  if (missing > 0)
    throw new Error(`${repository} lacks ${missing} of the ${found.count} parts of ${found.quantization ?? choice}; ask its publisher.`)
  return {
    files: found.files,
    quantization: found.quantization,
    isDefault: found === standard,
    projector: chooseProjector(projectors),
    notes: [],
  }
}

interface GgufSet {
  readonly quantization: string | null
  readonly files: readonly RepositoryFile[]
  /** Number of parts according to the names. */
  readonly count: number
}

/** Order of preference for projectors: sufficient precision first, then small size. */
const preferredOfProjectors = ['F16', 'BF16', 'F32', 'Q8_0']

/** Chooses among several projectors of a model. */
export function chooseProjector<File extends { readonly path: string }>(projectors: readonly File[]): File | null {
  const rank = ({ path }: File): number => {
    const place = preferredOfProjectors.indexOf(quantizationOf(path) ?? '')
    return place < 0 ? preferredOfProjectors.length : place
  }
  return projectors.toSorted((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))[0] ?? null
}

/** Whether a file is a projector according to its name. */
export function isNamedProjector(path: string): boolean {
  return /mmproj/i.test(path)
}

/** The quantization in a file name, in capitals; null = none. */
export function quantizationOf(path: string): string | null {
  return quantizationInName.exec(path.replace(/\.gguf$/i, ''))?.[1]?.toUpperCase() ?? null
}

function groupSets(files: readonly RepositoryFile[]): readonly GgufSet[] {
  const sets = new Map<string, RepositoryFile[]>()
  for (const file of files) {
    const key = file.path.replace(splitInName, '.gguf')
    sets.set(key, [...(sets.get(key) ?? []), file])
  }
  return [...sets].map(([path, parts]) => ({
    quantization: quantizationOf(path),
    files: parts.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    count: Number(splitInName.exec(parts[0]?.path ?? '')?.[2] ?? 1),
  }))
}
