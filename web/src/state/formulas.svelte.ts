// The formula that is being written; it stays when another screen is shown.
class Formulas {
  logic = $state<'ltl' | 'ctl'>('ltl');
  text = $state('');
  fair = $state('none');
}

export const formulas = new Formulas();
