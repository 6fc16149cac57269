import type { VNode } from 'preact'
import { t } from '../../language/t.ts'

/** A picture that fits its frame, or is larger and can be moved in it. */
export function ZoomedPicture({ address, zoom }: { address: string; zoom: number }): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class="viewer-picture zoomed" data-zoomed={zoom > 1 ? '' : undefined} tabIndex={0} aria-label={t`The picture`}>
      <img
        src={address}
        alt=""
        style={zoom > 1 ? { width: `${zoom * 100}%`, maxWidth: 'none', maxHeight: 'none', imageRendering: 'pixelated' } : {}}
      />
    </section>
  )
}
