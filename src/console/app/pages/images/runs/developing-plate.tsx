import type { VNode } from 'preact'
import { t } from '../../../language/t.ts'
import type { ImageRun } from './image-runs.ts'

/** A frame in which a picture is coming into being. */
export function DevelopingPlate({ run, first }: { run: ImageRun; first: boolean }): VNode {
  return (
    <div class="plate">
      <div class="plate-picture developing" style={{ aspectRatio: `${run.body.width} / ${run.body.height}` }}>
        {first && run.preview ? (
          <img src={run.preview} alt={t`What it looks like so far`} />
        ) : (
          <div class="ghost" style={{ width: '100%', height: '100%' }} />
        )}
      </div>
    </div>
  )
}
