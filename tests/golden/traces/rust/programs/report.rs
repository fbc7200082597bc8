//! What main prints of an error with sources, in the shape that the common error crates share.
use std::backtrace::Backtrace;
use std::error::Error;
use std::fmt;

struct Report {
    message: String,
    source: Option<Box<dyn Error>>,
    trace: Backtrace,
}

impl Report {
    fn new(message: &str, source: Box<dyn Error>) -> Report {
        Report { message: message.to_string(), source: Some(source), trace: Backtrace::force_capture() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Report {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref()
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n\nCaused by:", self.message)?;
        let mut causes = Vec::new();
        let mut next = self.source();
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        for (at, cause) in causes.iter().enumerate() {
            if causes.len() == 1 { write!(f, "\n    {cause}")? } else { write!(f, "\n{at:>5}: {cause}")? }
        }
        write!(f, "\n\nStack backtrace:\n{}", self.trace)
    }
}

#[inline(never)]
fn read(path: &str) -> Result<String, Report> {
    std::fs::read_to_string(path).map_err(|error| Report::new(&format!("read {path}"), error.into()))
}

#[inline(never)]
fn load(shop: u32) -> Result<u32, Report> {
    read("/nonexistent/prices.toml").map(|_| 1).map_err(|error| Report::new(&format!("load shop {shop}"), Box::new(error)))
}

fn main() -> Result<(), Report> {
    load(7).map(|_| ())
}
