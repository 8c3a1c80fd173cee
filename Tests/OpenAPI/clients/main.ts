// The client that openapi-generator makes for TypeScript, with fetch. main.js URL
import {Configuration, PlayerApi, ResponseError, SteleApi, Team, TeamApi} from '../client'

declare const process: {argv: string[], exit(status: number): never}

function check(fits: boolean, ...what: unknown[]) {
  if (fits) return
  console.log(...what.map(it => JSON.stringify(it)))
  throw new Error('a check failed')
}

async function refusal(call: Promise<unknown>): Promise<{status: number, code: unknown}> {
  try {
    await call
  } catch (error) {
    if (error instanceof ResponseError) return await error.response.json()
    throw error
  }
  throw new Error('no error')
}

async function main() {
  const configuration = new Configuration({basePath: process.argv[2]})
  const players = new PlayerApi(configuration), teams = new TeamApi(configuration)
  const stele = new SteleApi(configuration)

  // Create and read.
  const team = await teams.createTeam({teamCreate: {name: 'Crew', founded: 1999}})
  const ida = await players.createPlayer({playerCreate: {name: 'Ida', goals: 3, salary: 12.5,
    joinedAt: new Date('2024-05-01T09:00:00Z'), team: team.id}})
  check(ida.goals === 3 && ida.salary === 12.5 && ida.team === team.id, ida)
  check(ida.joinedAt?.getUTCFullYear() === 2024, ida)
  const bo = await players.createPlayer({playerCreate: {name: 'Bo', team: {name: 'Made with Bo'}}})
  await players.createPlayer({playerCreate: {name: 'Cy'}})
  const read = await players.getPlayer({id: bo.id, include: 'team'})
  check((read.team as Team).name === 'Made with Bo', read)
  check((await players.getPlayerTeam({id: ida.id}))?.name === 'Crew')

  // Lists: a filter with a variable, and pages by their Link.
  const found = await players.listPlayer({where: 'name == $name', variables: {'var.name': 'Ida'}})
  check(found.length === 1 && found[0].id === ida.id, found)
  const names: string[] = []
  let after: string | undefined
  do {
    const page = await players.listPlayerRaw(
      {where: 'name IN {"Ida","Bo","Cy"}', sort: 'name', limit: 2, after})
    names.push(...(await page.value()).map(it => it.name))
    after = /after=([^&>]+)/.exec(page.raw.headers.get('Link') ?? '')?.[1]
  } while (after)
  check(names.join() === 'Bo,Cy,Ida', names)
  const rows = await players.queryPlayer({listQuery: {where: 'goals >= $least AND team == $team',
    select: 'name,goals', _var: {least: 3, team: team.id}}})
  check(JSON.stringify(rows) === '[{"name":"Ida","goals":3}]', rows)

  // Change, replace, and a relationship.
  const changed = await players.changePlayer({id: ida.id, playerChange: {goals: 4}})
  check(changed.goals === 4 && changed.name === 'Ida', changed)
  const replaced = await players.replacePlayer({id: ida.id, playerReplace: {name: 'Ada'}})
  check(replaced.name === 'Ada' && replaced.team === null, replaced)
  const id = await players.setPlayerTeam({id: ida.id, teamLink: team.id})
  check(id === team.id, id)

  // A transaction.
  const results = await stele.executeTransaction({operation: [
    {op: 'insert', entity: 'Team', values: {name: 'New'}, as: 'new'},
    {op: 'update', object: `Player/${ida.id}`, values: {team: {_ref: 'new'}}},
    {op: 'delete', object: `Player/${bo.id}`},
  ]}) as {[name: string]: unknown}[]
  check(results[1].team === results[0]._id && results[2].deleted === true, results)

  // Errors, and a deletion.
  const invalid = await refusal(players.createPlayer({playerCreate: {name: ''}}))
  check(invalid.status === 422 && invalid.code === 1670, invalid)
  await players.deletePlayer({id: ida.id})
  const gone = await refusal(players.getPlayer({id: ida.id}))
  check(gone.status === 404 && gone.code === 'object.unknown', gone)
}

main().catch(error => {
  console.log(error)
  process.exit(1)
})
