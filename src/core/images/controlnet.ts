/** A ControlNet by the name of its asset, and what it is shown. */
export interface ControlnetUse {
  readonly name: string
  /** An encoded file (PNG, JPEG or WebP bytes). */
  readonly image: Uint8Array
  /** How strongly it counts, 0 or more; 1 = as it was trained. */
  readonly scale: number
  /** Share of the steps after which it says no more, 0 to 1. */
  readonly until: number
  /** Whether the picture is turned into the kind that the ControlNet was trained on, where Sepia can. */
  readonly preprocess: boolean
}

/** ControlNets that one request may mix. */
export const mostControlnets = 4

/** Whether a ControlNet was trained on edges found by Canny's method, as its name tells: the one kind Sepia makes itself. */
export function takesEdges({ name }: Pick<ControlnetUse, 'name'>): boolean {
  return /canny/iu.test(name)
}

/** What of a request's wishes was not done, in sentences. */
export function controlWarnings(controlnets: readonly ControlnetUse[]): readonly string[] {
  return controlnets
    .filter((use) => use.preprocess && !takesEdges(use))
    .map(({ name }) => `The picture for ${name} was used unchanged: Sepia has no preprocessor for this kind.`)
}
