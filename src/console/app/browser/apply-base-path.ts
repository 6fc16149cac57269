import { options } from 'preact'
import { basePath, withBase } from './base-path.ts'

const addressed = ['href', 'src', 'action'] as const

/** Adds the base path to every link, picture and form of the page. */
export function applyBasePath(): void {
  if (basePath === '') return
  const before = options.vnode
  options.vnode = (node) => {
    if (typeof node.type === 'string') {
      const props: Record<string, unknown> = node.props
      for (const name of addressed) {
        const address = props[name]
        if (typeof address === 'string') props[name] = withBase(address)
      }
    }
    before?.(node)
  }
}
