import { playSales } from '../support/sale-model/play.ts'

playSales(1)
