/**
 * What a family makes of a guidance scale: `over-one`: guidance outside the network, on above 1; `over-zero`: the same on above 0,
 * counted from there; `with-negative`: on above 1 where a negative prompt is given; `embedded`: the network is given the scale, and
 * guidance outside it needs a scale of its own and a negative prompt.
 */
export type GuidanceKind = 'over-one' | 'over-zero' | 'with-negative' | 'embedded'

/** What a drawing is guided by. */
export interface GuidanceScales {
  /** Whether the negative prompt is predicted for, too. */
  readonly guided: boolean
  /** Factor of the difference between both predictions; 1 = the prompt's own. */
  readonly guidanceScale: number
  /** What the network is given; ignored by others than `embedded` ones. */
  readonly embeddedGuidance: number
}

/** The scales that a family makes of those of a request. */
export function guidanceScales(
  kind: GuidanceKind,
  { scale, outer = 1, hasNegative }: { readonly scale: number; readonly outer?: number; readonly hasNegative: boolean },
): GuidanceScales {
  switch (kind) {
    case 'over-one':
      return { guided: scale > 1, guidanceScale: scale, embeddedGuidance: scale }
    case 'over-zero':
      return { guided: scale > 0, guidanceScale: scale + 1, embeddedGuidance: scale }
    case 'with-negative':
      return { guided: scale > 1 && hasNegative, guidanceScale: scale, embeddedGuidance: scale }
    case 'embedded':
      return { guided: outer > 1 && hasNegative, guidanceScale: outer, embeddedGuidance: scale }
  }
}
