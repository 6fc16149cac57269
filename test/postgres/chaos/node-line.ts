/** The messages of a node under chaos. */
export type NodeLine =
  | { readonly what: 'ready' }
  | { readonly what: 'acknowledged'; readonly id: string }
  | { readonly what: 'started' | 'completed' | 'already-mine' | 'lost'; readonly id: string; readonly attempt: number }
