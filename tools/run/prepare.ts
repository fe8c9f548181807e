import { emulatorSettings } from './emulator-settings.ts'
import { claimInstance } from './instance-file.ts'
import { requireFreePort } from './ports.ts'
import { readRunSettings } from './settings.ts'
import { Stack } from './stack.ts'

/**
 * Reads the settings, ends what an earlier start has left behind, and checks that the ports are free, all
 * before anything is started.
 */
export async function prepareStack(projectDir: string, shopEnv: NodeJS.ProcessEnv) {
  const { config, emulatorPort } = readRunSettings(process.env, projectDir)
  const instance = await claimInstance(config.dataDir, config.publicUrl)
  try {
    const { host, port } = config
    await requireFreePort({ setting: 'PORT', host, port })
    if (emulatorPort) await requireFreePort({ setting: 'PAYPAL_PORT', host, port: emulatorPort })
  } catch (error) {
    instance.clear()
    throw error
  }
  const emulator = emulatorPort ? emulatorSettings(config, emulatorPort) : undefined
  const env = { ...emulator?.shopEnv, DATA_DIR: config.dataDir, ...shopEnv }
  const stack = new Stack({ projectDir, config, instance, emulatorPort, shopEnv: env })
  return { stack, emulatorUrl: emulator?.publicUrl }
}
