import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleImageModel } from '../../../../contract/models.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { SelectField } from '../../../parts/fields/select-field.tsx'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { imageSettings } from '../form/image-settings.ts'
import { chosenAbilities, drawingFault, nextDrawing } from '../form/next-drawing.ts'
import { startingImage } from '../start/starting-image.ts'
import { t } from '../text.ts'
import { type AxisContext, type AxisName, type AxisValue, axesFor, axisWords, readAxis } from './grid-axes.ts'
import { drawGrid, mostCells } from './image-grids.ts'

interface AxisDraft {
  readonly name: AxisName
  readonly text: string
}

/** Asks which two things change, and for which values. */
export function GridDialog({ model, onClose }: { model: ConsoleImageModel; onClose: () => void }): VNode {
  const across = useSignal<AxisDraft>({ name: 'steps', text: '10, 20, 40' })
  const down = useSignal<AxisDraft>({ name: 'guidance', text: '3, 5, 8' })
  const context = { settings: imageSettings.value, abilities: chosenAbilities(model), starts: startingImage.value !== null }
  const columns = readAxis(across.value.name, across.value.text, context)
  const rows = readAxis(down.value.name, down.value.text, context)
  const count = typeof columns === 'string' || typeof rows === 'string' ? null : columns.length * rows.length
  const same = across.value.name === down.value.name && across.value.name !== 'none'
  const fault =
    drawingFault() ?? (same ? t`Two different things.` : count !== null && count > mostCells ? t`At most ${mostCells} pictures.` : null)
  const start = () => {
    if (typeof columns === 'string' || typeof rows === 'string' || fault !== null) return
    void drawGrid({
      prompt: imageSettings.value.prompt.trim(),
      across: { label: labelOf(across.value.name), values: columns.map(({ label }) => label) },
      down: { label: labelOf(down.value.name), values: rows.map(({ label }) => label) },
      cells: cellsOf(model, columns, rows),
    })
    onClose()
  }
  return (
    <Dialog title={t`X/Y grid`} onClose={onClose}>
      <p class="soft">{t`The same picture again and again, with one thing changed from column to column and one from row to row.`}</p>
      <Axis title={t`Across`} draft={across} context={context} />
      <Axis title={t`Down`} draft={down} context={context} />
      <div class="row between">
        <span class="field-hint">{fault ?? (count === null ? '' : t`${count} pictures, all from one seed`)}</span>
        <Button tone="primary" icon="grid" disabled={fault !== null || count === null} onClick={start}>{t`Draw the grid`}</Button>
      </div>
    </Dialog>
  )
}

function Axis({ title, draft, context }: { title: string; draft: Signal<AxisDraft>; context: AxisContext }): VNode {
  const { name, text } = draft.value
  const read = readAxis(name, text, context)
  return (
    <div class="pair">
      <SelectField
        label={title}
        value={name}
        options={axesFor(context).map((each) => ({ value: each, label: axisWords[each].label }))}
        onChange={(next) => {
          draft.value = { name: next, text: axisWords[next].example }
        }}
      />
      {name === 'none' ? null : (
        <TextField
          label={t`Values ${title.toLowerCase()}`}
          value={text}
          placeholder={axisWords[name].example}
          fault={typeof read === 'string' ? read : null}
          onInput={(next) => {
            draft.value = { name, text: next }
          }}
        />
      )}
    </div>
  )
}

function labelOf(name: AxisName): string {
  return name === 'none' ? '' : axisWords[name].label
}

function cellsOf(model: ConsoleImageModel, columns: readonly AxisValue[], rows: readonly AxisValue[]) {
  const { seed } = imageSettings.value
  // Without a seed of its own every cell would be another picture.
  const fixed = { ...imageSettings.value, count: 1, seed: seed === '' ? String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) : seed }
  return rows.flatMap((down, row) =>
    columns.map((across, column) => {
      const first = { ...fixed, ...across.change(fixed) }
      return { column, row, body: nextDrawing(model, { ...first, ...down.change(first) }) }
    }),
  )
}
