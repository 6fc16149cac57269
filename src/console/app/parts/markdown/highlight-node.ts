/** The drawn parts of a highlighted tree: text, and spans with classes. */
export interface HighlightNode {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly HighlightNode[]
}
