/** A ControlNet, by the name of its asset, and its input. */
export interface ControlnetUse {
  readonly name: string
  /** An encoded file (PNG, JPEG or WebP bytes). */
  readonly image: Uint8Array
  /** Strength, 0 or more; 1 = as trained. */
  readonly scale: number
  /** Share of the steps after which it no longer applies, 0 to 1. */
  readonly until: number
  /** Whether to preprocess the picture for the ControlNet, where Sepia can. */
  readonly preprocess: boolean
}

/** Maximum number of ControlNets per request. */
export const maxControlnets = 4

/** Whether a ControlNet's name marks it as trained on Canny edges, the only kind that Sepia preprocesses. */
export function takesEdges({ name }: Pick<ControlnetUse, 'name'>): boolean {
  return /canny/iu.test(name)
}

/** Warnings about pictures that were not preprocessed. */
export function controlWarnings(controlnets: readonly ControlnetUse[]): readonly string[] {
  return controlnets
    .filter((use) => use.preprocess && !takesEdges(use))
    .map(({ name }) => `The image for ${name} was used unchanged: Sepia has no preprocessor for this kind.`)
}
