//! The right-hand side of a Lark rule, built with as few brackets as it needs.

/// An expression over rules, terminals and literals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expr {
    Empty,
    Atom(String),
    Seq(Vec<Expr>),
    Any(Vec<Expr>),
    Repeat(Box<Expr>, u32, Option<u32>),
}

/// What an expression is printed as a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Alternative,
    Item,
    Operand,
}

impl Expr {
    /// This, then that.
    pub(super) fn then(self, next: Expr) -> Expr {
        match (self, next) {
            (Expr::Empty, only) | (only, Expr::Empty) => only,
            (Expr::Seq(mut parts), Expr::Seq(more)) => {
                parts.extend(more);
                Expr::Seq(parts)
            }
            (Expr::Seq(mut parts), next) => {
                parts.push(next);
                Expr::Seq(parts)
            }
            (first, Expr::Seq(more)) => Expr::Seq(std::iter::once(first).chain(more).collect()),
            (first, next) => Expr::Seq(vec![first, next]),
        }
    }

    /// One of these; of none, nothing.
    pub(super) fn any(exprs: Vec<Expr>) -> Expr {
        let mut options: Vec<Expr> = Vec::new();
        let mut add = |expr| {
            if !options.contains(&expr) {
                options.push(expr);
            }
        };
        for expr in exprs {
            match expr {
                Expr::Any(more) => more.into_iter().for_each(&mut add),
                expr => add(expr),
            }
        }
        match options.len() {
            0 => Expr::Empty,
            1 => options.remove(0),
            _ => Expr::Any(options),
        }
    }

    pub(super) fn repeat(self, min: u32, max: Option<u32>) -> Expr {
        match (self, min, max) {
            (Expr::Empty, ..) | (_, _, Some(0)) => Expr::Empty,
            (expr, 1, Some(1)) => expr,
            // To repeat nothing any number of times would be ambiguous.
            (Expr::Any(options), _, max) if options.contains(&Expr::Empty) => {
                let options = options.into_iter().filter(|option| *option != Expr::Empty);
                Expr::any(options.collect()).repeat(0, max)
            }
            (Expr::Repeat(inner, 0, _), _, None) => inner.repeat(0, None),
            (expr, min, max) => Expr::Repeat(Box::new(expr), min, max),
        }
    }

    pub(super) fn print(&self, level: Level) -> String {
        let (own, text) = match self {
            Expr::Empty => (Level::Operand, "\"\"".to_owned()),
            Expr::Atom(text) => (Level::Operand, text.clone()),
            Expr::Seq(parts) => (Level::Item, join(parts, " ", Level::Operand)),
            Expr::Any(options) => (Level::Alternative, join(options, " | ", Level::Item)),
            Expr::Repeat(inner, min, max) => {
                let times = match (min, max) {
                    (0, None) => "*".to_owned(),
                    (1, None) => "+".to_owned(),
                    (0, Some(1)) => "?".to_owned(),
                    (min, None) => format!("{{{min},}}"),
                    (min, Some(max)) => format!("{{{min},{max}}}"),
                };
                // An operator does not apply to another's result.
                let inner = match &**inner {
                    Expr::Repeat(..) => format!("({})", inner.print(Level::Alternative)),
                    inner => inner.print(Level::Operand),
                };
                (Level::Operand, inner + &times)
            }
        };
        if own < level { format!("({text})") } else { text }
    }
}

fn join(exprs: &[Expr], between: &str, level: Level) -> String {
    exprs.iter().map(|expr| expr.print(level)).collect::<Vec<_>>().join(between)
}
