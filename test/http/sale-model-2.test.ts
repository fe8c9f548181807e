import { playSales } from '../support/sale-model/play.ts'

await playSales(2)
