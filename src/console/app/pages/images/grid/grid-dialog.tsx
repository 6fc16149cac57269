import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { t } from '../../../language/t.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { drawingModels } from '../../../state/models.ts'
import { controlnets } from '../form/controlnets.ts'
import { imageSettings } from '../form/image-settings.ts'
import { chosenAbilities, drawingFault, nextDrawing } from '../form/next-drawing.ts'
import { startingImage } from '../start/starting-image.ts'
import type { AxisValue, Drawable } from './axis.ts'
import { type AxisContext, axesFor, readAxis } from './grid-axes.ts'
import { drawGrid, maxCells } from './image-grids.ts'

interface AxisDraft {
  readonly name: string
  readonly text: string
}

/** Asks for two parameters and their values. */
export function GridDialog({ model, onClose }: { model: ConsoleImageModel; onClose: () => void }): VNode {
  const across = useSignal<AxisDraft>({ name: 'steps', text: '10, 20, 40' })
  const down = useSignal<AxisDraft>({ name: 'guidanceScale', text: '3, 5, 8' })
  const drawable = { ...imageSettings.value, controlnets: controlnets.value }
  const context = { drawable, model, abilities: chosenAbilities(model), models: drawingModels(), start: startingImage.value }
  const axes = axesFor(context)
  const labelOf = (name: string) => (name === 'none' ? '' : (axes.find((axis) => axis.name === name)?.label ?? ''))
  const columns = readAxis(across.value.name, across.value.text, context)
  const rows = readAxis(down.value.name, down.value.text, context)
  const count = typeof columns === 'string' || typeof rows === 'string' ? null : columns.length * rows.length
  const same = across.value.name === down.value.name && across.value.name !== 'none'
  const fault =
    drawingFault() ??
    (same ? t`Choose two different settings.` : count !== null && count > maxCells ? t`At most ${maxCells} images.` : null)
  const start = () => {
    if (typeof columns === 'string' || typeof rows === 'string' || fault !== null) return
    void drawGrid({
      prompt: imageSettings.value.prompt.trim(),
      across: { label: labelOf(across.value.name), values: columns.map(({ label }) => label) },
      down: { label: labelOf(down.value.name), values: rows.map(({ label }) => label) },
      cells: cellsOf(model, drawable, columns, rows),
    })
    onClose()
  }
  return (
    <Dialog title={t`X/Y grid`} onClose={onClose}>
      <p class="soft">{t`Draws the same image many times, changing one setting per column and one per row.`}</p>
      <Axis title={t`Across`} draft={across} context={context} />
      <Axis title={t`Down`} draft={down} context={context} />
      <div class="row between">
        <span class="field-hint">{fault ?? (count === null ? '' : t`${count} images, all from one seed`)}</span>
        <Button tone="primary" icon="grid" disabled={fault !== null || count === null} onClick={start}>{t`Draw the grid`}</Button>
      </div>
    </Dialog>
  )
}

function Axis({ title, draft, context }: { title: string; draft: Signal<AxisDraft>; context: AxisContext }): VNode {
  const { name, text } = draft.value
  const axes = axesFor(context)
  const exampleOf = (wanted: string) => axes.find((axis) => axis.name === wanted)?.example ?? ''
  const read = readAxis(name, text, context)
  return (
    <div class="pair">
      <SelectField
        label={title}
        value={name}
        options={axes.map((axis) => ({ value: axis.name, label: axis.label }))}
        onChange={(next) => {
          draft.value = { name: next, text: exampleOf(next) }
        }}
      />
      {name === 'none' ? null : (
        <TextField
          label={t`Values ${title.toLowerCase()}`}
          value={text}
          placeholder={exampleOf(name)}
          fault={typeof read === 'string' ? read : null}
          onInput={(next) => {
            draft.value = { name, text: next }
          }}
        />
      )}
    </div>
  )
}

function cellsOf(model: ConsoleImageModel, drawable: Drawable, columns: readonly AxisValue[], rows: readonly AxisValue[]) {
  // Without a common seed, every cell would be a different picture.
  const seed = drawable.seed === '' ? String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) : drawable.seed
  const fixed = { ...drawable, count: 1, seed }
  return rows.flatMap((down, row) =>
    columns.map((across, column) => {
      const first = { ...fixed, ...across.change(fixed) }
      const { controlnets: nets, ...settings } = { ...first, ...down.change(first) }
      const drawing = drawingModels().find(({ id }) => id === settings.model) ?? model
      return { column, row, body: nextDrawing(drawing, settings, nets) }
    }),
  )
}
