import { resolve } from 'node:path'
import { findForeignModels, foreignFolders, foreignPrograms, linkForeignModel } from '../../catalog/foreign-models.ts'
import type { CliBackend, ForeignModelRow } from '../../cli/cli-backend.ts'
import { UsageError } from '../../cli/failures.ts'
import { dataLayout } from '../data-layout.ts'
import { listInstalledModels } from './pull-to-data-folder.ts'

/** Lists the models in another program's folder: the named one, or the first of the usual ones that exists. */
export const findImportable: CliBackend['findForeignModels'] = async (config, given, { folder, environment }) => {
  const program = foreignPrograms.find((each) => each === given)
  if (program === undefined) throw new UsageError([{ where: given, message: `expected one of ${foreignPrograms.join(', ')}.` }])
  const places = folder === null ? foreignFolders(program, environment) : [resolve(folder)]
  const installed = new Set((await listInstalledModels(config)).map(({ id }) => id))
  for (const place of places) {
    const models = await findForeignModels(program, place)
    if (models !== null) return { folder: place, models: models.map((model) => ({ ...model, installed: installed.has(model.id) })) }
  }
  throw new UsageError([
    { where: '--folder', message: `there is no folder ${places.join(' or ')}; name the folder that holds the models of ${program}.` },
  ])
}

/** Links the named models into the data folder: all of them, or none if one fails. */
export const registerImportable: CliBackend['registerForeignModels'] = async (config, models, names) => {
  const chosen = names.map((name): ForeignModelRow => {
    const fitting = models.filter((model) => model.name === name || model.id === name)
    const [model] = fitting
    if (model === undefined)
      throw new UsageError([{ where: name, message: 'is not among these models; run the command without --register for their names.' }])
    if (fitting.length > 1)
      throw new UsageError([{ where: name, message: `matches several models; use one of ${fitting.map((each) => each.name).join(', ')}.` }])
    if (model.installed)
      throw new UsageError([{ where: name, message: `a model named ${model.id} is installed already; remove it first.` }])
    return model
  })
  const twice = chosen.find((model, place) => chosen.findIndex(({ id }) => id === model.id) !== place)
  if (twice !== undefined)
    throw new UsageError([
      { where: twice.name, message: `another model of this import has the name ${twice.id} too; register one of them.` },
    ])
  const { modelsFolder } = dataLayout(config.dataFolder)
  await linkForeignModel({ links: new Map(chosen.flatMap(({ links }) => [...links])) }, modelsFolder)
  return chosen
}
