mod documents;
mod load;
mod types;
